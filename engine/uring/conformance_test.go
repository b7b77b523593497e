package uring

import (
	"testing"

	"moonio/engine"
	"moonio/engine/enginetest"
)

// TestConformance holds the engine to the contract on the best ring that there
// is, and on those that older kernels leave it.
func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(cfg engine.Config) (*Engine, error)
	}{
		{"best", func(cfg engine.Config) (*Engine, error) { return open(cfg, setups) }},
		{"deferred", func(cfg engine.Config) (*Engine, error) { return open(cfg, setups[1:]) }},
		{"cooperative", func(cfg engine.Config) (*Engine, error) { return open(cfg, setups[2:]) }},
		{"plain", func(cfg engine.Config) (*Engine, error) { return openPlain(cfg) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: func(cfg engine.Config) (engine.Engine, error) {
				e, err := c.open(cfg)
				if err != nil {
					return nil, err
				}
				return e, nil
			}})
		})
	}
}

// TestConformanceOfOptions holds the engine to it with options that change how
// operations get to the kernel.
func TestConformanceOfOptions(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"sqpoll":         {"sqpoll": "1", "sqpoll_idle": "1"},
		"force_async":    {"force_async": "1"},
		"not registered": {"registerfiles": "0", "fixedbufs": "0", "nonvectored": "1"},
		"priority":       {"ioprio": "be/7"},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: func(cfg engine.Config) (engine.Engine, error) {
				cfg.Options = options
				return Open(cfg)
			}})
		})
	}
}

// openPlain opens what Linux 5.10 offers: no flags, no timeout in the wait, and
// names only through helpers.
func openPlain(cfg engine.Config) (*Engine, error) {
	e, err := open(cfg, setups[3:])
	if err != nil {
		return nil, err
	}
	e.ring.features &^= featExtArg
	for _, code := range []engine.OpCode{engine.Rename, engine.Unlink, engine.Mkdir, engine.Truncate} {
		e.native[code] = false
	}
	return e, nil
}
