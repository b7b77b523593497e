package backend

import (
	"fmt"
	"slices"
	"strings"

	"moonio/engine"
	"moonio/engine/sim"
	"moonio/engine/suggest"
)

// Choice is an engine as the user named it, with its options.
type Choice struct {
	Name    string
	Options map[string]string // of any engine but sim
	Device  sim.Config        // of sim
}

// Memory says that the engine touches no storage: its files are in memory, and
// no directory is needed.
func (c Choice) Memory() bool {
	k, _ := find(c.Name)
	return k.memory
}

// Names are what Parse takes, before a colon.
func Names() []string {
	names := []string{Auto}
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Parse reads "io_uring", "pool:threads=64", "pvsync2:uncached", "sim:hdd,fsync=12ms"
// and the like; nothing is "auto". Whether the engine works here is for Open to say.
func Parse(spec string) (Choice, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(spec), ":")
	if name == "" && rest == "" {
		name = Auto
	}
	k, ok := find(name)
	if !ok && name != Auto {
		return Choice{}, fmt.Errorf("unknown engine %q: use %s%s", name, strings.Join(Names(), ", "), suggest.Hint(name, Names()))
	}
	c := Choice{Name: name}
	var err error
	if name == nameSim {
		c.Device, err = sim.Parse(rest)
	} else {
		c.Options, err = parseOptions(name, k.options, rest)
	}
	if err == nil && k.check != nil {
		err = k.check(c.Options)
	}
	if err != nil {
		return Choice{}, err
	}
	return c, nil
}

func parseOptions(name string, known []engine.Option, s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("engine %s has no options, and %q gives it some", name, name+":"+s)
	}
	options := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		o, value, err := parseOption(known, part)
		if err != nil {
			return nil, fmt.Errorf("engine %s: %w", name, err)
		}
		if _, twice := options[o.Name]; twice {
			return nil, fmt.Errorf("engine %s: option %s is given twice", name, o.Name)
		}
		options[o.Name] = value
	}
	return options, nil
}

// parseOption reads "name=value", or a switch's "name".
func parseOption(known []engine.Option, part string) (o engine.Option, value string, err error) {
	word, value, given := strings.Cut(part, "=")
	word, value = strings.TrimSpace(word), strings.TrimSpace(value)
	i := slices.IndexFunc(known, func(o engine.Option) bool { return o.Name == word || slices.Contains(o.Also, word) })
	if i < 0 {
		names := optionNames(known)
		return o, "", fmt.Errorf("unknown option %q: use %s%s", word, strings.Join(names, ", "), suggest.Hint(word, names))
	}
	o = known[i]
	switch {
	case given:
	case o.Value != "":
		return o, "", fmt.Errorf("option %q: write it as %s=%s", word, o.Name, o.Value)
	default:
		value = "1"
	}
	return o, value, nil
}

func optionNames(options []engine.Option) []string {
	var names []string
	for _, o := range options {
		names = append(names, o.Name)
	}
	return names
}
