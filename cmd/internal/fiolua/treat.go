package fiolua

import (
	"slices"
	"strings"

	"moonio/cmd/internal/fiojob"
)

// A treatment is what becomes of an option. Exactly one of its fields is set; with none,
// the option is translated, or is one of the output's.
type treatment struct {
	ignored string // why it can make no difference
	refused string // what to use instead
}

// treatments are those of the options that are not translated.
var treatments = map[string]treatment{
	"description":         {},
	"unique_filename":     {ignored: "it is for fio's network clients"},
	"softrandommap":       {ignored: "covering each block once takes no memory here"},
	"thread":              {ignored: "every job is a thread here"},
	"clocksource":         {ignored: "there is one clock, and it is read once for a batch"},
	"gtod_cpu":            {ignored: "the clock is read where it is needed"},
	"stats":               {ignored: "all figures are taken, and cost little"},
	"create_serialize":    {ignored: "files are laid out one after another, before the clock starts"},
	"create_fsync":        {ignored: "files are made durable when they have been laid out"},
	"create_on_open":      {ignored: "files are made before the clock starts"},
	"openfiles":           {ignored: "all files stay open"},
	"allow_mounted_write": {ignored: "a device that is mounted is never written here"},
	"scramble_buffers":    {ignored: "no two blocks are alike here, unless dedupe_percentage says so"},
	"mem":                 {ignored: "buffers are anonymous memory, registered with the kernel where that helps"},
	"iomem_align":         {ignored: "buffers begin at a page"},
	"hugepage-size":       {ignored: "buffers are anonymous memory"},
	"verify_async":        {ignored: "blocks are verified by the thread that reads them"},
	"verify_async_cpus":   {ignored: "it belongs to verify_async"},
	"verifysort":          {ignored: "fio has no use for it any more either"},
	"verifysort_nr":       {ignored: "fio has no use for it any more either"},
	"verify_state_save":   {ignored: "what was written follows from the seed"},
	"verify_state_load":   {ignored: "what was written follows from the seed"},
	"trim_verify_zero":    {ignored: "it belongs to trim_percentage"},
	"io_submit_mode":      {ignored: "at a rate, times are taken from when an operation was due: nothing needs to be offloaded"},
	"exitall_on_error":    {ignored: "the first error ends the run, unless continue_on_error says otherwise"},
	"error_dump":          {ignored: "errors are always named"},
	"rate_cycle":          {ignored: "rate_min is held against the whole run"},
	"cgroup_nodelete":     {ignored: "there are no cgroups here"},
	"userspace_reap":      {ignored: "completions are taken from the ring where the kernel allows it"},
	"nonvectored":         {ignored: "operations are not vectored"},
	"dedupe_global":       {ignored: "it belongs to dedupe_mode=working_set"},
	"flow_id":             {ignored: "it belongs to flow"},
	"flow_watermark":      {ignored: "fio has no use for it any more either"},
	"flow_sleep":          {ignored: "it belongs to flow"},
	"serialize_overlap":   {refused: "give the jobs regions of their own with offset and size"},

	"block":               {ignored: "it belongs to profile=tiobench, and does nothing in fio either: bs is the size of blocks"},
	"numruns":             {ignored: "it belongs to profile=tiobench, and does nothing in fio either: loops repeats a job"},
	"dir":                 {ignored: "it belongs to profile=tiobench, and does nothing in fio either: directory says where files are"},
	"threads":             {ignored: "it belongs to profile=tiobench, and does nothing in fio either: numjobs makes several of a job"},
	"experimental_verify": {ignored: "what was written is known from the seed, and verified as it is"},

	"lockfile":               {refused: "let clients of a script share a semaphore"},
	"write_barrier":          {refused: "fsync or fdatasync order writes"},
	"atomic":                 {refused: "sync=dsync makes each write durable before it completes"},
	"verify_offset":          {refused: "the header stands at the start of each verify_interval"},
	"trim_percentage":        {refused: "rw=trimwrite trims each block before it is written"},
	"trim_backlog":           {refused: "rw=trimwrite trims each block before it is written"},
	"trim_backlog_batch":     {refused: "rw=trimwrite trims each block before it is written"},
	"read_iolog_chunked":     {ignored: "a trace is read as it is played"},
	"replay_skip":            {refused: "`moonio trace convert` leaves operations out of a trace, or a replay's option map does"},
	"merge_blktrace_file":    {refused: "`moonio trace convert` merges traces, and so does `moonio replay` of several files"},
	"merge_blktrace_scalars": {refused: "`moonio trace convert` merges traces, and so does `moonio replay` of several files"},
	"merge_blktrace_iters":   {refused: "`moonio trace convert` merges traces, and so does `moonio replay` of several files"},
	"ioscheduler":            {refused: "write its name to /sys/block/DEVICE/queue/scheduler before the run"},
	"zonecapacity":           {refused: "zoned devices are not driven; zonemode=strided is"},
	"read_beyond_wp":         {refused: "zoned devices are not driven; zonemode=strided is"},
	"max_open_zones":         {refused: "zoned devices are not driven; zonemode=strided is"},
	"job_max_open_zones":     {refused: "zoned devices are not driven; zonemode=strided is"},
	"ignore_zone_limits":     {refused: "zoned devices are not driven; zonemode=strided is"},
	"zone_reset_threshold":   {refused: "zoned devices are not driven; zonemode=strided is"},
	"zone_reset_frequency":   {refused: "zoned devices are not driven; zonemode=strided is"},
	"lockmem":                {refused: "limit the memory of a cgroup, and run moonio in it: systemd-run -p MemoryMax=…"},
	"write_hint":             {refused: "writes carry no hints"},
	"unlink_each_loop":       {refused: "unlink=1 removes the files at the end"},
	"profile":                {refused: "`moonio list` lists the built-in scripts"},
	"cgroup":                 {refused: "start moonio in the cgroup: systemd-run, or cgexec"},
	"cgroup_weight":          {refused: "start moonio in the cgroup: systemd-run -p IOWeight=…"},
	"uid":                    {refused: "start moonio as that user: setpriv, or sudo -u"},
	"gid":                    {refused: "start moonio as that group: setpriv, or sudo -g"},
	"flow":                   {refused: "give the jobs rates, or make one job of them with rwmixread"},
	"bs_is_seq_rand":         {refused: "give the jobs block sizes of their own"},
	"block_error_percentiles": {
		refused: "continue_on_error=io counts errors"},
	"latency_run":      {ignored: "the depth is looked for once, and then kept for the runtime"},
	"hipri_percentage": {ignored: "it is for pvsync2, of which the kernel polls for nothing"},
	"cmd_type":         {refused: "it belongs to ioengine=io_uring_cmd: use ioengine=io_uring on the block device"},
}

// treat looks at every option of a unit: it refuses those that there are none of here, and
// names those that make no difference.
func (t *translation) treat(u *unit) error {
	for _, o := range u.jobs[0].All {
		spec, _ := fiojob.Find(o.Name)
		if last, _ := u.v.Option(o.Name); last != o {
			continue
		}
		how, special := treatments[o.Name]
		if why := foreign(u, spec, special || known[o.Name]); why != "" && u.inherited(spec) {
			t.ignore(o.Name + ": " + why)
			u.v.Take(&fiojob.Values{}, o.Name)
			continue
		} else if why != "" {
			return o.Fail("", "%s", why)
		}
		switch {
		case how.refused != "" && !off(u.v, spec):
			return o.Fail("", "moonio has no such option: %s", how.refused)
		case how.ignored != "":
			t.ignore(o.Name + ": " + how.ignored)
		}
	}
	t.idle(u)
	return nil
}

// foreign says why an option of some engines is not one of the unit's; nothing if it is.
func foreign(u *unit, spec fiojob.Spec, here bool) string {
	engine, _ := u.v.Word("ioengine")
	switch {
	case spec.Engines == "":
	case !here:
		return "it belongs to the engines " + spec.Engines + ", which moonio does not have"
	case !slices.Contains(strings.Fields(spec.Engines), engine):
		return "it belongs to the engines " + spec.Engines + ", and the job's is " + engine
	}
	return ""
}

// inherited says whether an option of some engines comes with one of those from what holds for several jobs, and the
// job has taken another engine since: as in fio, it has left the option behind.
func (u *unit) inherited(spec fiojob.Spec) bool {
	job := u.jobs[0]
	engine := "psync"
	for _, o := range job.All[:len(job.All)-len(job.Options)] {
		if o.Name == "ioengine" {
			engine, _, _ = strings.Cut(o.Value, ":")
		}
	}
	own := slices.ContainsFunc(job.Options, func(o fiojob.Option) bool { return o.Name == spec.Name })
	return !own && slices.Contains(strings.Fields(spec.Engines), engine)
}

// idle names what makes no difference in a job like the unit.
func (t *translation) idle(u *unit) {
	for _, s := range []struct {
		option, why string
		idle        bool
	}{
		{"ba", "in sequence each block begins where the last one ended", !u.rw.random},
		{"zoneskip", "it needs zonemode=strided", u.v.Text("zonemode") == "none"},
		{"zonerange", "it needs zonemode=strided", u.v.Text("zonemode") == "none"},
	} {
		if s.idle && u.v.Has(s.option) {
			t.ignore(s.option + ": " + s.why)
		}
	}
}

// known are options of engines that are translated.
var known = map[string]bool{
	"hipri": true, "uncached": true, "nowait": true, "cmdprio_percentage": true, "cmdprio_bssplit": true, "cmdprio_class": true, "cmdprio": true,
	"sqthread_poll": true, "sqthread_poll_cpu": true, "force_async": true, "fixedbufs": true, "registerfiles": true, "thp": true,
}

// off says whether an option was given the value that it has anyway, or that turns it off.
func off(v *fiojob.Values, spec fiojob.Spec) bool {
	switch spec.Kind {
	case fiojob.Flag, fiojob.Boolean:
		return !v.On(spec.Name)
	case fiojob.Integer, fiojob.Micro:
		return v.Integer(spec.Name) == 0
	case fiojob.Choice:
		return v.Text(spec.Name) == strings.Fields(spec.Default + " -")[0]
	}
	return v.Text(spec.Name) == spec.Default && spec.Default != ""
}
