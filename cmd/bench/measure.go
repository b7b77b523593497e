package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// result is what is compared of a run.
type result struct {
	iops    float64
	userNS  float64 // user CPU per I/O
	p50NS   float64
	seconds float64
}

// measure runs a pair in turn and prints a row for each figure.
func (s *setup) measure(p pair) error {
	var ours, theirs []result
	for range s.runs {
		a, err := p.ours.run()
		if err != nil {
			return err
		}
		b, err := p.theirs.run()
		if err != nil {
			return err
		}
		ours, theirs = append(ours, a), append(theirs, b)
	}
	for _, f := range p.figures {
		var a, b, ratios []float64
		for i := range ours {
			x, y := f.of(ours[i]), f.of(theirs[i])
			a, b, ratios = append(a, x), append(b, y), append(ratios, x/y)
		}
		fmt.Printf("| %s | %s | %s | %s | %s | **%.2f** | %s |\n", p.name, p.against, f.name,
			number(middle(a), f.unit), number(middle(b), f.unit), middle(ratios), list(ratios))
	}
	return nil
}

func (c command) run() (result, error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("%s: %w\n%s", c, err, stderr.String())
	}
	if c.file != "" {
		if out, err = os.ReadFile(c.file); err != nil {
			return result{}, err
		}
	}
	r, err := c.read(c, out)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", c, err)
	}
	return r, nil
}

func readMoonio(_ command, out []byte) (result, error) {
	var doc struct {
		Phases []struct {
			CPU struct {
				User float64 `json:"user_ns"`
			} `json:"cpu"`
			Jobs []struct {
				Duration float64 `json:"duration_ns"`
				Ops      map[string]struct {
					Count   float64 `json:"count"`
					IOPS    float64 `json:"iops"`
					Service struct {
						P50 float64 `json:"p50_ns"`
					} `json:"service"`
				} `json:"ops"`
			} `json:"jobs"`
		} `json:"phases"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return result{}, err
	}
	if len(doc.Phases) != 1 || len(doc.Phases[0].Jobs) != 1 {
		return result{}, errors.New("the result has not one phase with one job")
	}
	j := doc.Phases[0].Jobs[0]
	r := j.Ops["read"]
	return result{iops: r.IOPS, userNS: doc.Phases[0].CPU.User / r.Count, p50NS: r.Service.P50, seconds: j.Duration / 1e9}, nil
}

func readFio(_ command, out []byte) (result, error) {
	// Notes may stand before the document.
	if i := strings.IndexByte(string(out), '{'); i > 0 {
		out = out[i:]
	}
	var doc struct {
		Jobs []struct {
			Read  fioWay  `json:"read"`
			Write fioWay  `json:"write"`
			User  float64 `json:"usr_cpu"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return result{}, err
	}
	if len(doc.Jobs) != 1 {
		return result{}, errors.New("the result has not one job")
	}
	j := doc.Jobs[0]
	longest := max(j.Read.Runtime, j.Write.Runtime)
	return result{
		iops:    j.Read.IOPS + j.Write.IOPS,
		userNS:  j.User / 100 * longest * 1e6 / (j.Read.Total + j.Write.Total),
		p50NS:   j.Read.Lat.Percentile["50.000000"],
		seconds: longest / 1e3,
	}, nil
}

// fioWay is one direction of a job in fio's result.
type fioWay struct {
	IOPS    float64 `json:"iops"`
	Total   float64 `json:"total_ios"`
	Runtime float64 `json:"runtime"`
	// From submission to completion, as our service time: clat leaves the submitting out.
	Lat struct {
		Percentile map[string]float64 `json:"percentile"`
	} `json:"lat_ns"`
}

func middle(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func number(x float64, unit string) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.2f M%s", x/1e6, unit)
	case x >= 1e4:
		return fmt.Sprintf("%.1f k%s", x/1e3, unit)
	}
	return fmt.Sprintf("%.0f%s", x, unit)
}

func list(v []float64) string {
	var parts []string
	for _, x := range v {
		parts = append(parts, fmt.Sprintf("%.2f", x))
	}
	return strings.Join(parts, " ")
}
