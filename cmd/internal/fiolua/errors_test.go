package fiolua

import (
	"strings"
	"testing"

	"moonio/cmd/internal/fiojob"
)

// TestEveryOptionIsTreated holds the list of treatments to the options that there are.
func TestEveryOptionIsTreated(t *testing.T) {
	for name := range treatments {
		if _, ok := fiojob.Find(name); !ok {
			t.Errorf("there is no option %q", name)
		}
	}
	for _, s := range fiojob.Specs() {
		if s.Engines == "" && !known[s.Name] && treatments[s.Name] == (treatment{}) && !translated[s.Name] && !shown[s.Name] {
			t.Errorf("option %q is neither translated, nor ignored, nor refused", s.Name)
		}
	}
}

// translated are the options that become something in a script.
var translated = set(`
	name wait_for filename directory filename_format rw bs ba bsrange bssplit bs_unaligned randrepeat randseed norandommap rw_sequencer ioengine
	iodepth iodepth_batch iodepth_batch_complete_min iodepth_batch_complete_max iodepth_low size io_size filesize offset offset_increment offset_align
	number_ios random_generator random_distribution percentage_random allrandrepeat nrfiles file_service_type fallocate fsync fdatasync
	sync_file_range direct buffered overwrite loops numjobs startdelay runtime time_based verify_only ramp_time verify do_verify verify_interval
	verify_pattern verify_fatal verify_dump verify_backlog verify_backlog_batch zonemode zonesize zonerange zoneskip rwmixread rwmixwrite nice prio prioclass thinktime
	thinktime_spin thinktime_blocks thinktime_blocks_type thinktime_iotime rate rate_min rate_process rate_ignore_thinktime rate_iops rate_iops_min
	max_latency latency_target latency_window latency_percentile invalidate fadvise_hint sync create_only allow_file_create pre_read cpumask
	cpus_allowed cpus_allowed_policy numa_cpu_nodes numa_mem_policy end_fsync fsync_on_close unlink stonewall new_group zero_buffers refill_buffers
	buffer_pattern buffer_compress_percentage buffer_compress_chunk dedupe_percentage dedupe_mode dedupe_working_set_percentage continue_on_error ignore_error
	kb_base steadystate steadystate_duration steadystate_ramp_time exitall exit_what fill_device file_append write_iolog exec_prerun exec_postrun
	opendir read_iolog replay_no_stall replay_redirect replay_scale replay_align replay_time_scale`)

// shown are the options of the report and the logs.
var shown = set(`
	description group_reporting per_job_logs write_bw_log bwavgtime write_lat_log write_iops_log iopsavgtime log_entries log_avg_msec log_hist_msec
	log_hist_coarseness write_hist_log log_max_value log_offset log_prio log_compression log_compression_cpus log_store_compressed log_unix_epoch
	log_alternate_epoch log_alternate_epoch_clock_id clat_percentiles lat_percentiles slat_percentiles percentile_list significant_figures disk_util
	unified_rw_reporting unit_base gtod_reduce disable_lat disable_clat disable_slat disable_bw_measurement`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--size=1m --bssplit=4k/60:8k/60", `
argument 3: bssplit=4k/60:8k/60: the shares come to 120 %, and the most is 100
    --bssplit=4k/60:8k/60
              ^^^^^^^^^^^`},
		{"--size=1m --bssplit=4k/50,4k/60:8q/40 --rw=rw", `
argument 3: bssplit=4k/50,4k/60:8q/40: "q" is no unit of bytes: they are k, m, g, t and p
    --bssplit=4k/50,4k/60:8q/40
                           ^`},
		{"--size=1m --rw=randread --random_distribution=zipf", `
argument 4: random_distribution=zipf: zipf needs its theta, as in zipf:1.2
    --random_distribution=zipf
                          ^^^^`},
		{"--size=1m --ignore_error=EIO,ENOSPCE", `
argument 3: ignore_error=EIO,ENOSPCE: unknown error "ENOSPCE": use a name such as EIO, ENOSPC or EAGAIN (did you mean "ENOSPC"?)
    --ignore_error=EIO,ENOSPCE
                       ^^^^^^^`},
		{"--size=1m --rw=randread --random_distribution=zoned:60/10:50/20", `
argument 4: random_distribution=zoned:60/10:50/20: the zones come to 110 % of the accesses and 30 % of the space, and the most is 100
    --random_distribution=zoned:60/10:50/20
                                ^^^^^^^^^^^`},
		{"--size=1m --read_iolog=none", `
argument 3: read_iolog=none: there is no such trace
    --read_iolog=none
                 ^^^^`},
		{"--read_iolog=device.log", `
argument 2: read_iolog=device.log: it is of 8,0, which is no file's name: replay_redirect=PATH says where it is played, or ` + "`moonio replay --map 8,0=PATH`" + `
    --read_iolog=device.log
                 ^^^^^^^^^^`},
		{"--size=1m --ioengine=libaio --cmdprio_bssplit=4k/50:4k/60", `
argument 4: cmdprio_bssplit=4k/50:4k/60: the shares of blocks of 4096 bytes come to 110 %, and the most is 100
    --cmdprio_bssplit=4k/50:4k/60
                            ^^^^^`},
		{"--size=1m --ioengine=libaio --cmdprio_bssplit=4k/50/1", `
argument 4: cmdprio_bssplit=4k/50/1: it is SIZE/PERCENT, or SIZE/PERCENT/CLASS/LEVEL
    --cmdprio_bssplit=4k/50/1
                      ^^^^^^^`},
		{"--size=1m --ioengine=libaio --cmdprio_bssplit=4k/50 --cmdprio_percentage=5", `
argument 4: cmdprio_bssplit=4k/50: give cmdprio_percentage or cmdprio_bssplit, and not both
    --cmdprio_bssplit=4k/50
                      ^^^^^`},
		{"--opendir=d1 --size=1m", `
argument 3: size=1m: it does not go with opendir, whose files are used as they are, and whole
    --size=1m
           ^^`},
		{"--opendir=d2", `
argument 2: opendir=d2: there is no file in it that a block fits into
    --opendir=d2
              ^^`},
		{"--read_iolog=a.log --replay_align=3k", `
argument 3: replay_align=3k: it is a power of two
    --replay_align=3k
                   ^^`},
		{"--read_iolog=a.log --verify=crc32c", `
argument 3: verify=crc32c: it does not go with read_iolog: what a trace writes is not known to be read back
    --verify=crc32c
             ^^^^^^`},
		{"--read_iolog=a.log:b.log", `
argument 2: read_iolog=a.log:b.log: that is no file's name here: give each trace a job of its own
    --read_iolog=a.log:b.log
                 ^^^^^^^^^^^`},
		{"--size=1m --ioengine=filestat", `
argument 3: ioengine=filestat: moonio has no engine filestat: write a script whose clients call stat
    --ioengine=filestat
               ^^^^^^^^`},
		{"--rw=write", `
argument 1: job x: it has no size, and no file that is there: add one such as size=1g
    --name=x
    ^^^^^^^^`},
		{"--size=1k", `
argument 2: size=1k: the region has 1024 bytes in each file, and the smallest block 4096
    --size=1k
           ^^`},
		{"--size=1m --directory=nowhere", `
argument 3: directory=nowhere: there is no directory /data/nowhere
    --directory=nowhere
                ^^^^^^^`},
		{"--size=1m --filename=/dev/null", `
argument 3: filename=/dev/null: /dev/null is neither a file nor a block device
    --filename=/dev/null
               ^^^^^^^^^`},
		{"--size=2g --filename=/dev/sdz", `
argument 3: filename=/dev/sdz: /dev/sdz has 1073741824 bytes, and the job's region ends at 2147483648
    --filename=/dev/sdz
               ^^^^^^^^`},
		{"--size=1m --ioengine=null --name=y --size=1m", `
argument 4: name=y: jobs on ioengine=null and jobs on storage don't run together: give them command lines of their own
    --name=y
           ^`},
		{"--size=1m --rw=write:-4k", `
argument 3: rw=write:-4k: going back is done a block at a time here: -8192, twice the block, says so
    --rw=write:-4k
         ^^^^^^^^^`},
		{"--size=1m --ss=iops:5% --ss_dur=1", `
argument 4: steadystate_duration=1: each second is one value: give whole seconds, and at least 2s
    --ss_dur=1
             ^`},
		{"--size=1m --ss=iops:x%", `
argument 3: steadystate=iops:x%: "x%" is not a limit such as 5%, or a figure above 0
    --ss=iops:x%
              ^^`},
		{"--filename=/dev/none --size=1m", `
argument 2: filename=/dev/none: /dev/none cannot be read, or there is no medium in it
    --filename=/dev/none
               ^^^^^^^^^`},
		{"--size=1m --bs=2g", `
argument 3: bs=2g: one operation can transfer at most 1g
    --bs=2g
         ^^`},
		{"--size=1m --bs=1m --ioengine=libaio --iodepth=600", `
argument 3: bs=1m: blocks times depth of the jobs that run at the same time come to 600 MiB of buffers, more than half of the memory of 1 GiB: lower one of them
    --bs=1m
         ^^`},
		{"--size=1g --latency_target=1ms --rw=randread", `
argument 3: latency_target=1ms: the depth is looked for, and psync has a depth of 1: use libaio or io_uring
    --latency_target=1ms
                     ^^^`},
	} {
		_, err := translate(append([]string{"--name=x"}, strings.Fields(c.args)...), nil)
		if err == nil {
			t.Errorf("%s: no error", c.args)
		} else if got := "\n" + err.Error(); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.args, got, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--size=1m --direct=1 --iodepth=32", "job x: iodepth=32 has no effect: psync does one operation at a time; libaio and io_uring do more, or numjobs"},
		{"--size=1m --direct=1 --runtime=9", "job x: runtime=9 is only the longest that it takes: without time_based the job ends after 1 MiB"},
		{"--size=1m --direct=1 --time_based", "job x: time_based has no effect without a runtime: the job ends after 1 MiB"},
		{"--size=1m", "job x: there is no direct=1, and its files of 1 MiB fit into the memory of 1 GiB: the page cache is empty when it begins, and answers what is read ahead or read again"},
		{"--size=1m --invalidate=0", "job x: there is no direct=1, and its files of 1 MiB fit into the memory of 1 GiB: the page cache is measured, and not the storage"},
		{"--size=1m --direct=1 --bs=4KiB", "argument 4: bs=4KiB: fio takes KiB for a power of 1000, and K for one of 1024"},
		{"--size=1m --direct=1 --thinktime=1 --rate=1m", "job x: what falls due while it thinks is left out; fio makes it up in a burst, as rate_ignore_thinktime=0 asks for here"},
		{"--size=1m --direct=1 --randseed=1 --name=y --size=1m --direct=1 --randseed=2", "argument 8: randseed=2: all jobs follow from one seed here, and randseed=1 has set it"},
		{"--size=2g --ramp_time=2 --name=y --size=2g", "jobs x and y: they run together and have other ramp times: the longer, 2s, holds for both"},
		{"--size=2g --name=y --size=1m --direct=1", ""},
		{"--size=1m --direct=1 --runtime=9 --time_based", ""},
		{"--size=1m --rw=write", ""},
	} {
		p, err := translate(append([]string{"--name=x"}, strings.Fields(c.args)...), nil)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
		} else if got := strings.Join(p.Warnings, "\n"); got != c.want {
			t.Errorf("%s: warns %q, and should warn %q", c.args, got, c.want)
		}
	}
}

// FuzzTranslate makes scripts of whatever fio could read; all that come out compile.
func FuzzTranslate(f *testing.F) {
	f.Add("--size=1m --rw=randrw --bssplit=4k/50:8k/ --numjobs=2 --nrfiles=3")
	f.Add("--filename=a\\:b:c --size=50% --rw=trimwrite --rate=1m,2m --description=]]--")
	f.Add("--ioengine=null --size=10g --random_distribution=zoned_abs:50/1g:50/ --zonemode=strided --zonesize=1m")
	f.Fuzz(func(t *testing.T, args string) {
		p, err := translate(append([]string{"--name=x", "--max-jobs=8"}, strings.Fields(args)...), nil)
		if err == nil {
			compile(t, p)
		}
	})
}
