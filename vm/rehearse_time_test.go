package vm

import (
	"context"
	"testing"
	"time"
)

// A rehearsal ends when it has computed for long, not when a busy machine has kept it waiting.
func TestLimitComputing(t *testing.T) {
	const limit = 20 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := processorTime()
	go limitComputing(ctx, cancel, limit)
	for ctx.Err() == nil {
	}
	if used := processorTime() - begin; used < limit {
		t.Errorf("it ended after %v of the processor's time, want %v", used, limit)
	}
}
