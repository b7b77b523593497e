// Package report is the result of a run: its model, how it is diagnosed, and
// its renderings as JSON and as text.
//
// The JSON is a contract (schema "moonio.result/1"): fields are added, never
// renamed. Durations and instants are in nanoseconds, sizes in bytes, rates per
// second. Counts and single durations are integers; means, deviations, rates
// and shares are floats. The same result always gives the same bytes.
//
// The runner fills a [Result], [Diagnose] adds the warnings, and [WriteJSON]
// and [WriteText] render it. Nothing here reads a clock or the machine.
package report

import (
	"math/bits"
	"time"

	"moonio/engine/environ"
	"moonio/engine/verify"
)

// Schema names the version of the JSON.
const Schema = "moonio.result/1"

// Result is a whole run.
type Result struct {
	Schema       string              `json:"schema"`
	Tool         Tool                `json:"tool"`
	Script       Script              `json:"script"`
	Seed         uint64              `json:"seed"`
	Started      time.Time           `json:"started"` // the only time of day
	DurationNS   int64               `json:"duration_ns"`
	Engine       string              `json:"engine"` // as the user names it, "io_uring"
	EngineInfo   EngineInfo          `json:"engine_info"`
	Environment  environ.Environment `json:"environment"`
	Idle         *Traffic            `json:"idle,omitempty"` // what the device carried just before the run
	Warnings     []Warning           `json:"warnings"`       // those that concern no phase in particular
	Expectations []Expectation       `json:"expectations"`
	Exit         Exit                `json:"exit"`
	Phases       []*Phase            `json:"phases"`
	Log          []LogLine           `json:"log,omitempty"`
}

// Tool is the program.
type Tool struct {
	Version string `json:"version"`
}

// Script is what was run.
type Script struct {
	Name   string         `json:"name"`
	SHA256 string         `json:"sha256"`
	Params map[string]any `json:"params"` // every parameter with the value in use, as a string or a number
}

// EngineInfo says what the engine was opened with.
type EngineInfo struct {
	Why      string   `json:"why,omitempty"`    // why this one, if the user left the choice
	Detail   string   `json:"detail,omitempty"` // such as a simulated device's profile
	Features []string `json:"features,omitempty"`
	Virtual  bool     `json:"virtual"` // times are a virtual clock's
	Memory   bool     `json:"memory"`  // no storage was touched
}

// Expectation is one expect of the script.
type Expectation struct {
	Text   string `json:"text"`
	Passed bool   `json:"passed"`
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// Exit is how the run ended.
type Exit struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
}

// LogLine is one line that the script logged.
type LogLine struct {
	TNS  int64  `json:"t_ns"` // since the run's start
	Text string `json:"text"`
}

// Phase is one phase as far as it got.
type Phase struct {
	Name       string    `json:"name"`
	StartNS    int64     `json:"start_ns"`    // where measuring began, since the run's start
	WarmupNS   int64     `json:"warmup_ns"`   // how long it ran unmeasured before that
	DurationNS int64     `json:"duration_ns"` // measured, the wait for what was in flight at the end included
	IntervalNS int64     `json:"interval_ns"` // the length of the jobs' intervals
	Threads    int       `json:"threads"`
	End        string    `json:"end"`              // what ended it: "duration", "ops", "bytes", "iterations", "done", "error", "interrupted", "steady", "first job done"
	Steady     *Steady   `json:"steady,omitempty"` // whether it became steady, if it was to
	Error      string    `json:"error,omitempty"`  // what went wrong, if something did
	Warnings   []Warning `json:"warnings"`
	CPU        CPU       `json:"cpu"`
	Load       Load      `json:"load"`
	Device     *Traffic  `json:"device,omitempty"` // what the device carried while the phase was measured
	Jobs       []*Job    `json:"jobs"`
}

// Steady says whether a figure of a phase came to hold still.
type Steady struct {
	Metric   string   `json:"metric"` // "iops", "bandwidth" or "latency"
	Reached  bool     `json:"reached"`
	Value    *float64 `json:"value,omitempty"` // over the last window: how far the furthest second was from the mean, or the slope; absent if no window was filled
	Limit    float64  `json:"limit"`           // what it had to come down to
	Percent  bool     `json:"percent"`         // both are per cent of the mean; otherwise operations or bytes per second, or seconds
	Slope    bool     `json:"slope"`           // both are the change from a second to the next
	WindowNS int64    `json:"window_ns"`
}

// CPU is processor time used. It is zero under a virtual clock.
type CPU struct {
	UserNS   int64 `json:"user_ns"`
	SystemNS int64 `json:"system_ns"`
}

// Load is how hard the tool itself worked. It is zero under a virtual clock.
type Load struct {
	BusyShare  float64 `json:"busy_share"`   // of the busiest worker's time, what it spent outside the engine's Wait
	ReapMeanNS float64 `json:"reap_mean_ns"` // how long completions lay ready before a worker took them
	ReapMaxNS  int64   `json:"reap_max_ns"`
}

// Traffic is what a device carried over a stretch of time, for everyone.
type Traffic struct {
	Device     string `json:"device"`
	DurationNS int64  `json:"duration_ns"`
	environ.Counters
	Under []Beneath `json:"under,omitempty"` // of the disks beneath a mapped device, in the same time
}

// Beneath is what one of the disks carried that a device is made of.
type Beneath struct {
	Device string `json:"device"`
	environ.Counters
}

// Job is one stream, one group of clients or one replay within a phase.
type Job struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"` // "stream", "clients" or "replay"
	Threads    int            `json:"threads"`
	Alone      bool           `json:"own_threads,omitempty"` // nothing else ran on them
	Engine     string         `json:"engine,omitempty"`      // of its threads
	Place      string         `json:"place,omitempty"`       // where its threads were put, "CPUs 0-3, nice 5"
	Depth      int            `json:"depth"`                 // a stream's operations in flight, all threads together
	Clients    int            `json:"clients"`               // all threads together
	StartNS    int64          `json:"start_ns"`              // since the phase's StartNS
	DurationNS int64          `json:"duration_ns"`           // measured; rates are over it
	Conditions Conditions     `json:"conditions"`
	Lag        *Lag           `json:"lag,omitempty"` // for a job with a schedule
	Verify     *Verification  `json:"verify,omitempty"`
	Detail     *Detail        `json:"detail,omitempty"`   // for a phase that asked for it
	Lateness   *Latency       `json:"lateness,omitempty"` // of a replay: submitted − due, of its records
	Replay     *Replay        `json:"replay,omitempty"`
	Ops        map[string]*Op `json:"ops"`
	Intervals  []Interval     `json:"intervals"`
}

// Detail is what is measured of a job only when its phase asks for it. The
// figures are those of the measured time.
type Detail struct {
	Usage       Usage   `json:"usage"`
	Own         bool    `json:"own"`         // Usage is of the job's own threads and the kernel's workers for them; otherwise of the whole process
	Depths      Depths  `json:"depths"`      // operations by the depth at which they were submitted
	Submits     Batches `json:"submits"`     // submissions by how many of the job's operations they held
	Completions Batches `json:"completions"` // waits by how many of the job's operations they returned
	FirstError  int     `json:"first_error"` // errno of the first operation that failed; 0 if none did
}

// Depths counts operations by how many of their job were in flight on their thread when
// they were submitted, they themselves included: Depths[n] from 1<<n up, and the last
// from 64 up without an end.
type Depths [7]int64

// Add counts n operations that were submitted at a depth.
func (d *Depths) Add(depth int, n int64) {
	d[min(max(bits.Len(uint(depth))-1, 0), len(d)-1)] += n
}

// Batches counts by size: 0, up to 4, 8, 16, 32, 64, and above.
type Batches [7]int64

// Add counts so many batches of n.
func (b *Batches) Add(n int, batches int64) {
	if n > 0 {
		b[min(max(bits.Len(uint(n-1))-1, 1), len(b)-1)] += batches
		return
	}
	b[0] += batches
}

// Usage is what threads used of the machine.
type Usage struct {
	CPU
	Switches    int64 `json:"switches"` // of context
	MajorFaults int64 `json:"major_faults"`
	MinorFaults int64 `json:"minor_faults"`
}

// Since is what was used since an earlier reading.
func (u Usage) Since(before Usage) Usage {
	return Usage{
		CPU:         CPU{u.UserNS - before.UserNS, u.SystemNS - before.SystemNS},
		Switches:    u.Switches - before.Switches,
		MajorFaults: u.MajorFaults - before.MajorFaults, MinorFaults: u.MinorFaults - before.MinorFaults,
	}
}

// Add adds o.
func (u *Usage) Add(o Usage) {
	u.UserNS += o.UserNS
	u.SystemNS += o.SystemNS
	u.Switches += o.Switches
	u.MajorFaults += o.MajorFaults
	u.MinorFaults += o.MinorFaults
}

// Conditions are what the job's figures mean nothing without.
type Conditions struct {
	Pattern   string   `json:"pattern,omitempty"` // "random", "sequential", "zipf(1.1)"
	Files     []string `json:"files,omitempty"`   // the first few names
	FileCount int      `json:"file_count"`
	SizeBytes int64    `json:"size_bytes"`        // of all its files together: what offsets are drawn from
	IO        string   `json:"io,omitempty"`      // "direct", "buffered" or "mixed"
	Sync      string   `json:"sync,omitempty"`    // "dsync" if every write is durable before it completes
	Held      string   `json:"held,omitempty"`    // what kept a stream below its depth at times, as the script asked for: "thinks 1ms after every 8 operations"
	Rate      string   `json:"rate,omitempty"`    // the schedule as the script said it, "20k/s"; empty for a closed loop
	Arrival   string   `json:"arrival,omitempty"` // "uniform", "poisson"
}

// Verification is what a job found of what was written: blocks are counted, each of which has
// a header, and Bytes are in those that were checked.
type Verification struct {
	Checked    int64             `json:"checked"`
	Bytes      int64             `json:"bytes"`
	Mismatches int64             `json:"mismatches"`
	Unsettled  int64             `json:"unsettled"`           // they were being written, or writes of them overlapped
	Unknown    int64             `json:"unknown"`             // they were not written, or not with a header
	Otherwise  int64             `json:"otherwise,omitempty"` // of those checked, they were written with another method than the job's, and checked by that
	First      []verify.Mismatch `json:"first"`
}

// Lag is how far a job was behind its schedule.
type Lag struct {
	Scheduled int64   `json:"scheduled"` // operations that fell due in the measured time
	Missed    int64   `json:"missed"`    // of them, those that were never submitted
	MeanNS    float64 `json:"mean_ns"`   // submitted − intended, of the others
	MaxNS     int64   `json:"max_ns"`
}

// Replay is what became of a captured workload. Issued + dropped + not reached are all
// of its records, in operations and in bytes.
type Replay struct {
	Trace   string  `json:"trace"`
	Timing  string  `json:"timing"` // "captured", "fast", "dependent" or "streams"
	Speed   float64 `json:"speed"`
	Records int64   `json:"records"` // to be played, all loops together
	Bytes   int64   `json:"bytes"`

	Issued          int64            `json:"issued"`
	IssuedBytes     int64            `json:"issued_bytes"` // as captured
	Dropped         map[string]int64 `json:"dropped,omitempty"`
	DroppedRecords  int64            `json:"dropped_records"`
	DroppedBytes    int64            `json:"dropped_bytes"`
	NotReached      int64            `json:"not_reached"` // when the phase ended
	NotReachedBytes int64            `json:"not_reached_bytes"`

	Split      int64 `json:"split"`       // records that became several operations
	Expanded   int64 `json:"expanded"`    // records that alignment changed
	ExtraBytes int64 `json:"extra_bytes"` // that alignment added
	Flushes    int64 `json:"flushes"`     // that writes carried, issued before them

	Late   int64 `json:"late"`    // records issued more than 1 ms late
	SlipNS int64 `json:"slip_ns"` // how late the last one was

	CapturedIOPS      float64 `json:"captured_iops"` // at the replay's speed
	ReplayedIOPS      float64 `json:"replayed_iops"`
	CapturedDepth     float64 `json:"captured_depth,omitempty"` // mean in flight, if completions were captured
	CapturedMostDepth int     `json:"captured_most_depth,omitempty"`
	ReplayedDepth     float64 `json:"replayed_depth"`
	ReplayedMostDepth int     `json:"replayed_most_depth"` // of each worker, added up
}

// Op is one kind of operation of a job. Beside the storage's operations,
// "iteration" and the clients' own spans stand under their names, with Span set
// and no bytes.
type Op struct {
	Count     int64            `json:"count"`               // completed without an error
	Bytes     int64            `json:"bytes"`               // transferred by them
	Errors    int64            `json:"errors"`              // failed; neither counted nor timed
	ErrorsBy  map[string]int64 `json:"errors_by,omitempty"` // the failed ones by errno, "EIO"
	Short     int64            `json:"short,omitempty"`     // counted ones that transferred less than was asked
	BlockMin  int64            `json:"block_min,omitempty"` // the least and the most bytes that one asked for
	BlockMax  int64            `json:"block_max,omitempty"`
	Span      bool             `json:"span,omitempty"`
	IOPS      float64          `json:"iops"`
	Bandwidth float64          `json:"bandwidth"`
	Service   *Latency         `json:"service,omitempty"`  // completed − submitted; absent without a sample
	Response  *Latency         `json:"response,omitempty"` // completed − intended; absent for a closed loop's stream

	// Of a phase that asked for detail, the two parts of Service: until the engine had taken
	// the operation, and from then on. An engine that performs it as it takes it has the second alone.
	Submission *Latency `json:"submission,omitempty"`
	Completion *Latency `json:"completion,omitempty"`

	// Of a stream that gives some operations an I/O priority of their own, each that was had: first those without.
	Priorities []Priority `json:"priorities,omitempty"`
}

// Priority is what was measured of the operations that had one I/O priority.
type Priority struct {
	IOPrio     string   `json:"ioprio"` // "rt/0", or "none": the thread's, which has none in particular
	Service    *Latency `json:"service"`
	Completion *Latency `json:"completion,omitempty"` // likewise of a phase that asked for detail
}

// Latency is a distribution of times. Percentiles never fall and lie within
// the extremes.
type Latency struct {
	MinNS    int64   `json:"min_ns"`
	MeanNS   float64 `json:"mean_ns"`
	MaxNS    int64   `json:"max_ns"`
	StdDevNS float64 `json:"stddev_ns"`
	P50NS    int64   `json:"p50_ns"`
	P90NS    int64   `json:"p90_ns"`
	P95NS    int64   `json:"p95_ns"`
	P99NS    int64   `json:"p99_ns"`
	P999NS   int64   `json:"p99.9_ns"`
	P9999NS  int64   `json:"p99.99_ns"`
	HDR      string  `json:"hdr"` // HdrHistogram's V2 compressed form in base64
}

// Interval is one stretch of a job's series. An interval in which nothing
// completed is there too, with zeros: a stall is a result.
type Interval struct {
	TNS        int64                 `json:"t_ns"`        // where it begins, since the phase's StartNS
	DurationNS int64                 `json:"duration_ns"` // the last may be shorter than the rest
	Ops        map[string]IntervalOp `json:"ops"`
}

// IntervalOp is one kind of operation within an interval.
type IntervalOp struct {
	IOPS      float64 `json:"iops"`
	Bandwidth float64 `json:"bandwidth"`
	P50NS     int64   `json:"p50_ns"`
	P99NS     int64   `json:"p99_ns"`
	MaxNS     int64   `json:"max_ns"`
}

// Warning is something about the measurement that its reader must know. In
// JSON it is one string, "code: text".
type Warning struct {
	Code string // a stable word, "page-cache"
	Text string // what was seen, with its number, and what to do
}
