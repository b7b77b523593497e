//go:build giouring

package backend

import (
	"moonio/engine"
	"moonio/engine/giouring"
)

const giouringWhyNot = ""

func openGiouring(cfg engine.Config) (engine.Engine, error) { return giouring.Open(cfg) }
