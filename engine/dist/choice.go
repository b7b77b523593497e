package dist

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// Choice draws one of several alternatives by weight, in the same time however
// many there are (Walker's alias method). It does not change after it is made.
type Choice struct {
	columns []column
}

// column is one alternative's share of the draw: itself below keep, other above.
type column struct {
	keep  uint64 // as a fraction of 2^64
	other int
}

// NewChoice prepares a choice between len(weights) alternatives. Weights are
// relative to their sum.
func NewChoice(weights ...float64) (*Choice, error) {
	sum, err := sumWeights(weights)
	if err != nil {
		return nil, err
	}
	n := len(weights)
	c := &Choice{columns: make([]column, n)}
	share := make([]float64, n) // in columns; what is left to hand out
	var poor, rich []int
	for i, w := range weights {
		share[i] = w / sum * float64(n)
		c.columns[i] = column{math.MaxUint64, i}
		if share[i] < 1 {
			poor = append(poor, i)
		} else {
			rich = append(rich, i)
		}
	}
	// Each poor column is filled up from a rich one, which may become poor by it.
	for len(poor) > 0 && len(rich) > 0 {
		p, r := poor[len(poor)-1], rich[len(rich)-1]
		poor = poor[:len(poor)-1]
		c.columns[p] = column{uint64(share[p] * 0x1p64), r}
		if share[r] -= 1 - share[p]; share[r] < 1 {
			rich = rich[:len(rich)-1]
			poor = append(poor, r)
		}
	}
	c.settle(weights, poor)
	return c, nil
}

// settle makes sure that rounding, which can leave a poor column without a
// partner, gives no turn to an alternative of weight 0.
func (c *Choice) settle(weights []float64, poor []int) {
	heaviest := 0
	for i, w := range weights {
		if w > weights[heaviest] {
			heaviest = i
		}
	}
	for _, p := range poor {
		if weights[p] == 0 {
			c.columns[p] = column{0, heaviest}
		}
	}
}

func sumWeights(weights []float64) (float64, error) {
	sum := 0.0
	for _, w := range weights {
		if err := finite(w); err != nil {
			return 0, fmt.Errorf("weight %v: %w", w, err)
		}
		if w < 0 {
			return 0, fmt.Errorf("weight %v is negative", w)
		}
		sum += w
	}
	switch {
	case len(weights) == 0:
		return 0, errors.New("nothing to choose from")
	case sum == 0:
		return 0, errors.New("all weights are 0")
	case math.IsInf(sum, 0):
		return 0, errors.New("weights are too large")
	}
	return sum, nil
}

// Next draws the number of an alternative.
func (c *Choice) Next(r *Rand) int {
	i, f := bits.Mul64(r.Uint64(), uint64(len(c.columns)))
	if col := &c.columns[i]; f >= col.keep {
		return col.other
	}
	return int(i)
}
