package sim

import (
	"math"
	"time"
)

// arm is the moving part of a rotating device: where its head is, and what it
// takes to get it elsewhere. Tracks are all equally long, and addresses go
// round them with no gap between one and the next.
type arm struct {
	turn   int64   // ns for one turn
	track  int64   // bytes on one track
	each   float64 // ns for a byte to pass
	first  float64 // ns for the shortest seek
	growth float64 // ns that it grows by with the root of the distance / stroke
	stroke int64

	head int64 // address where the last operation ended
	left int64 // when that was
}

func newArm(c *Config) *arm {
	if c.RPM == 0 {
		return nil
	}
	turn := int64(time.Minute) / int64(c.RPM)
	track := max(1, int64(float64(c.Transfer)*float64(turn)/float64(time.Second)))
	return &arm{
		turn: turn, track: track, each: float64(turn) / float64(track),
		first: float64(c.TrackSeek), growth: float64(c.Seek-c.TrackSeek) * math.Sqrt(3),
		stroke: c.Stroke,
	}
}

// reach is how long after now the head is over r's first byte.
func (a *arm) reach(now int64, r *request) int64 {
	if r.addr == a.head && (r.kind == read || r.arrived < a.left) {
		return 0 // read ahead, or streamed out without a gap
	}
	seek := a.seek(r.addr)
	over := int64(float64(r.addr%a.track) * a.each)
	return seek + (over-(now+seek)%a.turn+a.turn)%a.turn
}

func (a *arm) seek(to int64) int64 {
	from := a.head
	if from/a.track == to/a.track {
		return 0
	}
	distance := math.Abs(float64(to-from)) / float64(a.stroke)
	return int64(a.first + a.growth*math.Sqrt(distance))
}

// move takes the head to r and over it, and says when it is done.
func (a *arm) move(now int64, r *request) int64 {
	end := now + a.reach(now, r) + int64(float64(r.size)*a.each+0.5)
	a.head, a.left = r.addr+r.size, end
	return end
}
