package dist

import (
	"fmt"
	"strconv"
	"strings"

	"moonio/engine"
)

// Mix is a choice between operations, each with its weight.
type Mix []Share

// Share is one operation's part in a mix. Weights are relative to their sum.
type Share struct {
	Op     engine.OpCode
	Weight float64
}

// String is the mix as a script writes it: read, or { read = 70, write = 30 }.
func (m Mix) String() string {
	if len(m) == 1 {
		return m[0].Op.String()
	}
	parts := make([]string, len(m))
	for i, s := range m {
		parts[i] = fmt.Sprintf("%s = %s", s.Op, number(s.Weight))
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// Ops draws the operations of a mix. It does not change after it is made.
type Ops struct {
	choice *Choice // nil if there is only one
	ops    []engine.OpCode
}

// Compile prepares the mix.
func (m Mix) Compile() (*Ops, error) {
	o := &Ops{}
	var weights []float64
	seen := map[engine.OpCode]bool{}
	for _, s := range m {
		if seen[s.Op] {
			return nil, fmt.Errorf("mix %s: %s is there twice", m, s.Op)
		}
		seen[s.Op] = true
		o.ops = append(o.ops, s.Op)
		weights = append(weights, s.Weight)
	}
	c, err := NewChoice(weights...)
	if err != nil {
		return nil, fmt.Errorf("mix %s: %w", m, err)
	}
	if len(o.ops) > 1 {
		o.choice = c
	}
	return o, nil
}

// Next draws an operation.
func (o *Ops) Next(r *Rand) engine.OpCode {
	if o.choice == nil {
		return o.ops[0]
	}
	return o.ops[o.choice.Next(r)]
}

// number writes a number as a script would.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
