//go:build !giouring

package backend

import (
	"errors"
	"fmt"

	"moonio/engine"
)

const giouringWhyNot = "this binary was built without it: go build -tags giouring -ldflags=-checklinkname=0 ./cmd/moonio"

func openGiouring(engine.Config) (engine.Engine, error) {
	return nil, fmt.Errorf("engine giouring is %w: %s", engine.ErrUnavailable, giouringWhyNot)
}

func probeGiouring() ([]string, error) { return nil, errors.New(giouringWhyNot) }
