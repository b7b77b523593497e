package dist

// Step is the largest number of which every size that can come is a multiple; 0 if there are no sizes.
func (s Sizes) Step() int64 {
	if s.table == nil {
		return 0
	}
	var step int64
	for _, e := range s.table.shares {
		step = GCD(step, e.Min)
		if e.Max > e.Min {
			step = GCD(step, e.step())
		}
	}
	return step
}

// GCD is the greatest common divisor of two numbers, of which one may be 0.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
