package profile

import (
	"moonio/engine/hist"
)

// flushes is how writes are made durable.
type flushes struct {
	count     int64
	unflushed int64 // writes since the last flush
	covered   int64 // writes before some flush
	empty     int64 // flushes with no write since the one before
	most      int64
}

func (f *flushes) flush(file, stream *party) {
	file.flushes++
	stream.flushes++
	f.count++
	if f.unflushed == 0 {
		f.empty++
	}
	f.most = max(f.most, f.unflushed)
	f.covered += f.unflushed
	f.unflushed = 0
}

// flying is what is known of completions.
type flying struct {
	known    int64 // reads and writes
	latency  [2]hist.Histogram
	flush    hist.Histogram
	depth    hist.Histogram // I/Os in flight when one is issued, itself included
	ends     ends           // of those in flight
	overflow int64
}

// maxFlying bounds how many I/Os are held in flight.
const maxFlying = 1 << 16

func (f *flying) add(now int64, dir int, latency int64) {
	if latency < 0 {
		return
	}
	latency = min(latency, hist.Highest)
	f.known++
	f.latency[dir].Record(latency)
	for len(f.ends) > 0 && f.ends[0] <= now {
		f.ends.pop()
	}
	if len(f.ends) >= maxFlying {
		f.overflow++
		f.ends.pop()
	}
	f.ends.push(now + latency)
	f.depth.Record(int64(len(f.ends)))
}
