package vm

import (
	"fmt"
	"slices"
	"strings"

	"moonio/engine/suggest"
)

// meant is ` (did you mean "x"?)` for a name that is not known: what has that name elsewhere, or
// is spelt nearly so; or "".
func meant(name string, known []string) string {
	word := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	for _, s := range synonyms {
		if slices.Contains(s.words, word) && slices.Contains(known, s.name) {
			return fmt.Sprintf(" (did you mean %q?)", s.name)
		}
	}
	return suggest.Hint(name, known)
}

// synonyms are what other programs and languages call what has a name here. Where a word stands
// several times, the first name that fits counts.
var synonyms = []struct {
	name  string
	words []string
}{
	// Options.
	{"op", []string{"rw", "readwrite", "mode", "operation"}},
	{"block", []string{"bs", "block_size", "xfersize", "io_size"}},
	{"depth", []string{"iodepth", "qd", "queue_depth", "outstanding", "inflight", "in_flight"}},
	{"threads", []string{"numjobs", "workers", "parallel"}},
	{"duration", []string{"runtime", "time", "timeout", "seconds", "elapsed"}},
	{"warmup", []string{"ramp_time", "ramp"}},
	{"interval", []string{"status_interval"}},
	{"file", []string{"filename", "path", "target"}},
	{"engine", []string{"ioengine"}},
	{"at", []string{"pattern", "distribution", "random_distribution", "access"}},
	{"rate", []string{"iops", "rate_iops", "iorate", "qps", "rps", "tps"}},
	{"ops", []string{"number_ios", "count", "requests", "events"}},
	{"passes", []string{"loops"}},
	{"think", []string{"thinktime", "think_time", "delay", "sleep"}},
	{"start", []string{"startdelay", "start_delay"}},
	{"direct", []string{"o_direct", "odirect", "direct_io", "buffered"}},
	{"iterations", []string{"turns", "loops", "repeat"}},
	{"size", []string{"filesize", "length"}},
	{"write", []string{"mode", "readonly", "read_only"}},
	{"on_error", []string{"continue_on_error", "errors"}},

	// Methods.
	{"fsync", []string{"sync", "flush"}},
	{"trim", []string{"discard", "punch", "punch_hole"}},
	{"allocate", []string{"fallocate"}},
	{"tail", []string{"tell", "position", "offset"}},
	{"get", []string{"value", "load"}},
	{"add", []string{"increment", "inc", "incr"}},
	{"acquire", []string{"wait", "lock", "take", "down"}},
	{"release", []string{"signal", "post", "unlock", "give", "up"}},
	{"value", []string{"get", "count", "available"}},
	{"set", []string{"signal", "fire", "trigger"}},
	{"pulse", []string{"notify", "broadcast"}},
	{"reset", []string{"clear"}},

	// Figures.
	{"mean", []string{"avg", "average", "latency"}},
	{"p50", []string{"median"}},
	{"bandwidth", []string{"bw", "throughput"}},
	{"p999", []string{"p99.9", "p99_9"}},
	{"p9999", []string{"p99.99", "p99_99"}},
	{"count", []string{"n", "total"}},
}
