package run

import (
	"testing"
	"time"

	"moonio/engine"
)

func TestJobProgress(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	plan := &Phase{Duration: 10 * time.Second, Jobs: []Job{
		{Name: "ops", Stream: ended(stream4K(t, engine.Read, 1, f), 8)},
		{Name: "late", Start: 5 * time.Second, Duration: time.Second, Stream: stream4K(t, engine.Read, 1, f)},
	}}
	p := &phase{plan: plan.defaults(), s: s, end: int64(10 * time.Second)}
	p.divide()
	if err := p.compile(); err != nil {
		t.Fatal(err)
	}
	p.courses[0].ops.take(6, true)
	for _, c := range []struct {
		job  int
		at   time.Duration
		want JobProgress
	}{
		{0, 0, JobProgress{"ops", true, false, 0.75}},
		{1, 4 * time.Second, JobProgress{"late", false, false, -1}},
		{1, 5500 * time.Millisecond, JobProgress{"late", true, false, -1}},
		{1, 6 * time.Second, JobProgress{"late", true, true, -1}},
	} {
		if got := p.jobProgress(c.job, int64(c.at)); got != c.want {
			t.Errorf("after %v: %+v, want %+v", c.at, got, c.want)
		}
	}
	p.courses[0].ops.take(2, true)
	if got := p.jobProgress(0, 0); !got.Over || got.Share != 1 {
		t.Errorf("all done: %+v", got)
	}
	if got := slowest([]JobProgress{{Share: 0.5}, {Share: 0.2}, {Share: 1}}); got != 0.2 {
		t.Errorf("share %v, want 0.2", got)
	}
}
