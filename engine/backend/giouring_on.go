//go:build giouring

package backend

import (
	"moonio/engine"
	"moonio/engine/giouring"
	"moonio/engine/uring"
)

func openGiouring(cfg engine.Config) (engine.Engine, error) { return giouring.Open(cfg) }

func probeGiouring() ([]string, error) {
	_, err := uring.Probe()
	return nil, err
}
