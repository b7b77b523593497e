package profile

// Result is a profile. Shares are from 0 to 1, sizes and places in bytes, times in
// nanoseconds, rates per second.
type Result struct {
	IOs       int64            `json:"ios"` // reads and writes
	Reads     int64            `json:"reads"`
	Writes    int64            `json:"writes"`
	Ops       map[string]int64 `json:"operations"` // all, by name
	Bytes     int64            `json:"bytes"`
	ReadShare float64          `json:"read_share"`       // of the I/Os
	ReadBytes float64          `json:"read_bytes_share"` // of the bytes

	SpanNS       int64   `json:"span_ns"` // from the first record to the last
	FirstNS      int64   `json:"first_ns"`
	CV           float64 `json:"interarrival_cv"`
	PeakToMean1s float64 `json:"peak_to_mean_1s"`
	Arrival      Arrival `json:"arrival"`

	Footprint    int64    `json:"footprint_bytes"` // 4 KiB blocks that were read or written
	MaxEnd       int64    `json:"max_end"`
	Sequential   float64  `json:"sequential_share"` // begin where the one before of the stream, file and direction ended
	Continuing   float64  `json:"continuing_share"` // or where the last one of the file and direction ended, whoever issued it
	Unaligned4K  float64  `json:"unaligned_4k_share"`
	Unaligned512 float64  `json:"unaligned_512_share"`
	Space        Space    `json:"space"`
	Read         Side     `json:"read"`
	Write        Side     `json:"write"`
	SeekForward  []Bucket `json:"seeks_forward"` // distances of those that are not sequential
	SeekBackward []Bucket `json:"seeks_backward"`

	Flush           Flush        `json:"flush"`
	Trim            Trim         `json:"trim"`
	Completions     *Completions `json:"completions"` // null where the trace has none
	Files           []Party      `json:"files"`       // the busiest first
	Streams         []Party      `json:"streams"`
	MoreFiles       int64        `json:"more_files"` // that are not listed
	MoreStreams     int64        `json:"more_streams"`
	Timeline        Timeline     `json:"timeline"`
	Input           Input        `json:"input"`
	BlocksEstimated bool         `json:"footprint_estimated"`
	Estimates       []string     `json:"estimates"` // what is no exact count, and why
}

// Arrival is when I/Os come.
type Arrival struct {
	MeanIOPS      float64 `json:"mean_iops"`
	MeanBandwidth float64 `json:"mean_bandwidth"`
	Peak1s        float64 `json:"peak_iops_1s"` // in the busiest second
	Peak1sAt      int64   `json:"peak_1s_at_ns"`
	Peak60s       float64 `json:"peak_iops_60s"`
	PeakToMean60s float64 `json:"peak_to_mean_60s"`
	P50           int64   `json:"interarrival_p50_ns"`
	P99           int64   `json:"interarrival_p99_ns"`
	Dispersion1s  float64 `json:"index_of_dispersion_1s"`
	Dispersion60s float64 `json:"index_of_dispersion_60s"`
	Idle          Idle    `json:"idle"`
}

// Idle is the gaps of a second and more between I/Os.
type Idle struct {
	Gaps    int64   `json:"gaps"`
	NS      int64   `json:"ns"`
	Share   float64 `json:"share"` // of the span
	Longest int64   `json:"longest_ns"`
	At      int64   `json:"longest_at_ns"`
}

// Space is which blocks were touched.
type Space struct {
	Read       int64      `json:"read_bytes"`
	Written    int64      `json:"written_bytes"`
	Both       int64      `json:"both_bytes"`
	WindowMean int64      `json:"working_set_60s_mean_bytes"` // over minutes with an I/O
	WindowMax  int64      `json:"working_set_60s_max_bytes"`
	Hot1       float64    `json:"hottest_1_percent_share"` // of the accesses
	Hot10      float64    `json:"hottest_10_percent_share"`
	Hot20      float64    `json:"hottest_20_percent_share"`
	Zipf       float64    `json:"zipf_theta"`
	Accesses   int64      `json:"block_accesses"`
	Reuse      []Bucket   `json:"reuse_distance_bytes"` // of accesses to a block that was accessed before
	Cache      []CacheHit `json:"lru_cache"`
	HeatWidth  int64      `json:"heat_width_bytes"`
	Heat       [][2]int64 `json:"heat"` // reads and writes by address
}

// CacheHit is how many of the accesses an LRU cache of a size would have served.
type CacheHit struct {
	Bytes int64   `json:"bytes"`
	Share float64 `json:"share"`
}

// Side is reads, or writes.
type Side struct {
	IOs         int64       `json:"ios"`
	Bytes       int64       `json:"bytes"`
	Mean        float64     `json:"mean_bytes"`
	Sizes       []SizeCount `json:"sizes"` // the 16 most frequent
	OtherSizes  int64       `json:"other_sizes"`
	SizeLog2    []Bucket    `json:"sizes_log2"`
	Unaligned4K float64     `json:"unaligned_4k_share"`
	Sequential  float64     `json:"sequential_share"`
	Continuing  float64     `json:"continuing_share"` // sequential, or begin where the file's last one ended, whoever issued that
	Runs        Runs        `json:"runs"`
}

// Runs are sequences of I/Os each of which begins where the one before ended.
type Runs struct {
	Count   int64    `json:"count"`
	Alone   int64    `json:"of_one"`
	Mean    float64  `json:"mean_ios"`
	Bytes   float64  `json:"mean_bytes"`
	Longest int64    `json:"longest_ios"`
	Log2    []Bucket `json:"ios_log2"`
}

// Flush is how writes are made durable: by flush operations, or by writes that flush first.
type Flush struct {
	Count      int64   `json:"count"`
	Rate       float64 `json:"rate"`
	Preflush   int64   `json:"of_writes"` // writes that flush first
	FUA        int64   `json:"fua_writes"`
	Empty      int64   `json:"without_writes"`
	Writes     float64 `json:"writes_per_flush"` // mean, over those with writes
	MostWrites int64   `json:"most_writes_per_flush"`
}

// Completions is what is known where the trace says when I/Os completed.
type Completions struct {
	Share     float64  `json:"share"` // of the I/Os
	Read      *Latency `json:"read_latency"`
	Write     *Latency `json:"write_latency"`
	Flush     *Latency `json:"flush_latency"`
	DepthMean float64  `json:"depth_mean"` // over time
	DepthP50  int64    `json:"depth_p50"`  // as an I/O finds it, itself included
	DepthP99  int64    `json:"depth_p99"`
	DepthMax  int64    `json:"depth_max"`
}

// Latency is from issue to completion.
type Latency struct {
	Mean float64 `json:"mean_ns"`
	P50  int64   `json:"p50_ns"`
	P99  int64   `json:"p99_ns"`
	Max  int64   `json:"max_ns"`
}

// Trim is the trims, or discards.
type Trim struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Party is a file or a stream.
type Party struct {
	Name      string  `json:"name"`
	IOs       int64   `json:"ios"`
	Bytes     int64   `json:"bytes"`
	ReadShare float64 `json:"read_share"`
	Flushes   int64   `json:"flushes"`
	Other     int64   `json:"other"`
	End       int64   `json:"end,omitempty"`             // of a file
	Footprint int64   `json:"footprint_bytes,omitempty"` // of a file
	Read      *Area   `json:"read,omitempty"`            // of a file
	Write     *Area   `json:"write,omitempty"`
	Kinds     []Kind  `json:"kinds,omitempty"` // of a file, if it was among the first or is busy
}

// Area is the blocks of a file that were read, or written.
type Area struct {
	Footprint int64   `json:"footprint_bytes"`
	Accesses  int64   `json:"block_accesses"`
	Theta     float64 `json:"zipf_theta"`
}

// Kind is a part of a file's I/Os.
type Kind struct {
	Op         string      `json:"op"`
	Sequential bool        `json:"sequential"` // continue another of the stream or of the file
	Aligned4K  bool        `json:"aligned_4k"`
	IOs        int64       `json:"ios"`
	Bytes      int64       `json:"bytes"`
	Align      int64       `json:"align"` // what all offsets and lengths are multiples of, up to 4096
	Sizes      []SizeCount `json:"sizes"`
	OtherSizes int64       `json:"other_sizes"`
}

// Timeline is I/Os over time, from the first record on.
type Timeline struct {
	WidthNS int64      `json:"width_ns"`
	Counts  [][2]int64 `json:"counts"` // reads and writes
}

// Input is what reading the trace was like.
type Input struct {
	Records  int64            `json:"records"`
	Lines    int64            `json:"lines"`
	Bad      int64            `json:"unparsed"`
	First    []string         `json:"first_unparsed,omitempty"` // "file:line: why", and the line's beginning
	Skipped  map[string]int64 `json:"skipped"`
	Lost     int64            `json:"lost_events"`
	Disorder int64            `json:"out_of_order"`
	Odd      int64            `json:"impossible"` // records whose offset or length no storage has
	Notes    []string         `json:"notes"`
}
