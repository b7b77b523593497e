package main

import (
	"slices"
	"strings"
)

// peerJobs are the jobs that both programs run.
var peerJobs = slices.Concat(directionJobs, sizeJobs, amountJobs, placeJobs, engineJobs, prioJobs, fileJobs, syncJobs, timeJobs, dataJobs, reportJobs, jobFiles, traceJobs)

const lastLeftOut = "fio leaves the last one out"

var directionJobs = []peerJob{
	{args: "--name=a --filename=data --size=256k --rw=read"},
	{args: "--name=a --filename=data --size=256k --rw=write --bs=8k"},
	{args: "--name=a --filename=data --size=256k --rw=randread", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randwrite --bs=16k", order: set},
	{args: "--name=a --filename=data --size=256k --rw=rw", order: places},
	{args: "--name=a --filename=data --size=256k --rw=randrw --rwmixread=70", order: places},
	{args: "--name=a --filename=data --size=256k --rw=randrw --rwmixwrite=25 --bs=2k", order: places},
	{args: "--name=a --ioengine=null --size=256k --rw=trim"},
	{args: "--name=a --ioengine=null --size=256k --rw=randtrim --bs=16k", order: set},
	{args: "--name=a --ioengine=null --size=256k --rw=trimwrite"},
	{args: "--name=a --ioengine=null --size=256k --rw=randtrimwrite", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread:8", order: counts},
	{args: "--name=a --filename=data --size=256k --rw=randwrite:4 --rw_sequencer=identical", order: counts},
	{args: "--name=a --filename=data --size=256k --rw=randread:4 --norandommap --number_ios=32", order: counts},
	{args: "--name=a --filename=data --size=256k --rw=write:4k"},
	{args: "--name=a --filename=data --size=1m --rw=write:60k"},
	{args: "--name=a --filename=data --size=256k --rw=read:12k --bs=4k"},
	{args: "--name=a --filename=data --size=256k --rw=read --rw_sequencer=identical"},
	{args: "--name=a --filename=data --size=256k --rw=rw:4k --rwmixread=100", order: places},
	{args: "--name=a --filename=data --size=256k --rw=read:-8k --bs=4k --number_ios=8", order: counts}, // fio begins with one at the start
}

var sizeJobs = []peerJob{
	{args: "--name=a --filename=data --size=256k --rw=randread --bs=512", order: set},
	{args: "--name=a --filename=data --size=256k --rw=rw --bs=8k,4k --number_ios=20", order: loose},
	{args: "--name=a --ioengine=null --size=64k --rw=randread --bs=4k,8k,16k", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randwrite --bs=4k,8k,16k", order: loose}, // fio leaves blocks out
	{args: "--name=a --filename=data --size=1m --rw=randread --bssplit=4k/100", order: set},
	{args: "--name=a --filename=data --size=1m --rw=randwrite --bssplit=4k/50:8k/:16k/ --number_ios=40 --norandommap", order: loose},
	{args: "--name=a --filename=data --size=256k --rw=write --bssplit=4k/100,8k/100"},
	{args: "--name=a --filename=data --size=256k --rw=write --bsrange=4k-4k,8k-8k"},
	{args: "--name=a --filename=data --size=1m --rw=randread --bsrange=2k-8k --number_ios=64", order: loose},
	{args: "--name=a --size=250k --nrfiles=7 --rw=randread --ioengine=libaio --iodepth=4", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --bs=4k --blockalign=64k --number_ios=16 --norandommap", order: counts},
	{args: "--name=a --filename=data --size=64Ki --rw=read --bs=0x1000"},
	{args: "--name=a --filename=data --size=64k --rw=write --bs=2k --ba=4k"},
	{args: "--name=a --filename=data --size=32k --rw=rw --bs=5000", order: total},
	{args: "--name=a --filename=data --size=36863 --rw=randwrite:2", order: counts},
	{args: "--name=a --filename=data --size=32k --rw=rw --bs=5000 --loops=3", order: total},
	{args: "--name=a --filename=data --size=64k --rw=randread --bs=5000 --random_distribution=zipf:1.2", order: counts},
	{args: "--name=a --filename=data --size=64k --rw=randread --bs=5000 --norandommap", order: counts},
	{args: "--name=a --ioengine=null --rw=trim --bssplit=4k/50:8k/50 --size=512k", order: loose},
	{args: "--name=a --ioengine=null --filename=sub/x --rw=write --size=64k"},
}

var amountJobs = []peerJob{
	{args: "--name=a --filename=data --size=10000 --rw=read"},
	{args: "--name=a --filename=data --size=10000 --rw=randwrite --bs=3k", order: counts},
	{args: "--name=a --filename=data --size=64k --offset=1000 --rw=read"},
	{args: "--name=a --filename=data --size=64k --offset=1000 --rw=randread --bs=4k", order: set},
	{args: "--name=a --filename=data --size=256k --io_size=64k --rw=randread", order: counts},
	{args: "--name=a --filename=data --size=64k --io_size=256k --rw=write"},
	{args: "--name=a --filename=data --size=64k --io_size=128k --rw=randwrite", order: set},
	{args: "--name=a --filename=data --size=256k --number_ios=7 --rw=write"},
	{args: "--name=a --filename=data --size=64k --number_ios=100 --rw=write"},
	{args: "--name=a --filename=data --size=256k --number_ios=30 --rw=rw", order: total},
	{args: "--name=a --filename=data --size=64k --number_ios=100 --rw=randread --norandommap", order: counts},
	{args: "--name=a --filename=data --size=64k --number_ios=20 --loops=3 --rw=read"},
	{args: "--name=a --filename=data --size=64k --number_ios=5 --numjobs=2 --rw=write"},
	{args: "--name=a --filename=data --size=64k --io_size=32k --loops=2 --rw=write"},
	{args: "--name=a --filename=data --size=64k --loops=2 --rw=randwrite", order: set},
	{args: "--name=a --filename=data --filesize=256k --size=64k --offset=128k --rw=read"},
	{args: "--name=a --filename=data --filesize=256k --size=64k --rw=randread", order: counts},
	{args: "--name=a --filename=data --filesize=131074 --size=65537 --rw=read"},
	{args: "--name=a --filename=data --filesize=256k --size=128k --io_size=30% --rw=write --bs=2k"},
	{args: "--name=a --filename=data --filesize=131074 --size=65537 --rw=write --loops=2"},
	{args: "--name=a --filename=data --filesize=256k --size=50% --bs=5000 --rw=write"},
	{args: "--name=a --filename=data --filesize=256k --size=64k --offset_increment=64k --numjobs=3 --rw=read"},
	{args: "--name=a --filename=data --rw=read", lay: true},
	{args: "--name=a --filename=data --size=50% --rw=read", lay: true},
	{args: "--name=a --filename=data --size=128k --rw=read", lay: true},
	{args: "--name=a --filename=data --offset=128k --rw=read", lay: true},
	{args: "--name=a --filename=data --size=64k --offset=25% --rw=read", lay: true},
	{args: "--name=a --filename=data --offset=50% --io_size=64k --rw=randread", lay: true, order: counts},
	{args: "--name=a --filename=data --size=128k --offset=10% --offset_align=8k --rw=read", lay: true},
	{args: "--name=a --filename=data --size=25% --offset_increment=25% --numjobs=3 --rw=read", lay: true},
	{args: "--name=a --filename=data --size=10% --offset_increment=10% --numjobs=10 --rw=read", lay: true},
	{args: "--name=a --filename=data --size=10% --offset=10% --offset_increment=7% --offset_align=16k --numjobs=3 --rw=randread", lay: true, order: counts},
	{args: "--name=a --filename=data --size=1m --rw=read --zonemode=strided --zonesize=64k --zoneskip=64k"},
	{args: "--name=a --filename=data --size=1m --rw=read --zonemode=strided --zonesize=32k --zonerange=128k --zoneskip=0"},
	{args: "--name=a --filename=data --size=1m --io_size=256k --rw=randread --zonemode=strided --zonesize=64k --zoneskip=128k", order: counts},
	{args: "--name=a --filename=data --size=1m --io_size=512k --rw=randrw --zonemode=strided --zonesize=64k --zonerange=128k --zoneskip=64k", order: loose},
}

var placeJobs = []peerJob{
	{args: "--name=a --filename=data --size=1m --rw=randread --norandommap", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_generator=lfsr", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --random_generator=tausworthe64", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --softrandommap=1", order: set},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_distribution=zipf:1.2", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randwrite --random_distribution=pareto:0.2", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_distribution=normal:20", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_distribution=zoned:60/10:30/20:10/70", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_distribution=zoned:60/10:30/20:10/", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --random_distribution=zoned_abs:60/256k:40/768k", order: counts},
	{args: "--name=a --filename=data --size=1m --rw=randread --percentage_random=50", order: counts},
	{args: "--name=a --filename=data --size=256k --rw=randread --randseed=7", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --randrepeat=0", order: set},
}

var engineJobs = []peerJob{
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=sync", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randwrite --ioengine=pvsync2", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=libaio --iodepth=8", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randwrite --ioengine=libaio --iodepth=16 --iodepth_batch_submit=8 --iodepth_batch_complete_min=4", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=libaio --iodepth=8 --direct=1 --iodepth_low=2", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=libaio --iodepth=4 --iodepth_low=8", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=io_uring --iodepth=8", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randrw --ioengine=io_uring --iodepth=4 --fixedbufs --registerfiles --direct=1", order: places},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=io_uring --iodepth=8 --force_async=1 --iodepth_batch=4", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=io_uring --iodepth=8 --sqthread_poll --direct=1", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=io_uring --iodepth=8 --force_async=4", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=posixaio --iodepth=4", order: set},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=vsync", order: set},
	{args: "--name=a --filename=data --size=256k --rw=write --ioengine=mmap"},
	{args: "--name=a --filename=data --size=256k --rw=randread --ioengine=mmap", order: set},
	{args: "--name=a --size=4m --rw=randread --ioengine=null", order: set},
	{args: "--name=a --size=4m --rw=randrw --ioengine=null --iodepth=8", order: places},
	{args: "--name=a --filename=data --size=256k --rw=read --direct=1 --bs=64k"},
	{args: "--name=a --filename=data --size=256k --rw=write --buffered=0"},
	{args: "--name=a --filename=data --size=64k --rw=randread --cpus_allowed=0 --nice=19 --prio=4 --prioclass=2", order: set},
}

var prioJobs = []peerJob{
	{args: "--name=a --filename=data --size=1m --rw=randrw --ioengine=libaio --iodepth=4 --cmdprio_percentage=30 --cmdprio_class=2 --cmdprio=3", order: places},
	{args: "--name=a --filename=data --size=1m --rw=randread --ioengine=io_uring --iodepth=4 --cmdprio_percentage=40 --lat_percentiles=1 --slat_percentiles=1 --numjobs=2 --group_reporting", order: set},
	{args: "--name=a --filename=data --size=1m --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_percentage=40 --clat_percentiles=0 --prio=5 --prioclass=2", order: set},
	{args: "--name=a --filename=data --size=1m --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_percentage=100", order: set},
	{args: "--name=a --filename=data --size=4m --rw=randrw --ioengine=libaio --iodepth=4 --bssplit=4k/50:8k/50 --cmdprio_bssplit=4k/40/2/5:4k/30/1/3:8k/50/2/1", order: loose},
	{args: "--name=a --filename=data --size=1m --rw=randrw --ioengine=libaio --iodepth=4 --bs=4k,8k --cmdprio_bssplit=4k/50,8k/0 --norandommap", order: loose},
	{args: "--name=a --filename=data --size=1m --rw=randrw --ioengine=libaio --iodepth=4 --cmdprio_percentage=30,0 --unified_rw_reporting=mixed", order: places},
	{args: "--name=a --filename=data --size=1m --rw=randread --ioengine=libaio --iodepth=4 --cmdprio_percentage=30 --disable_clat=1", order: set},
}

var fileJobs = []peerJob{
	{args: "--name=a --filename=data --size=256k --rw=randread --numjobs=3", order: set},
	{args: "--group_reporting --name=a --filename=data --size=256k --rw=randread --numjobs=4", order: set},
	{args: "--name=a --size=64k --rw=write --numjobs=2 --thread"},
	{args: "--name=a --size=256k --nrfiles=4 --rw=write"},
	{args: "--name=a --size=256k --nrfiles=4 --rw=randwrite --file_service_type=random", order: counts},
	{args: "--name=a --size=256k --nrfiles=4 --rw=write --number_ios=20 --buffer_pattern=0x77 --file_service_type=sequential", data: true},
	{args: "--name=a --size=256k --nrfiles=4 --rw=write --number_ios=20 --buffer_pattern=0x77 --file_service_type=roundrobin", data: true},
	{args: "--name=a --size=256k --nrfiles=4 --rw=write --number_ios=20 --buffer_pattern=0x77 --file_service_type=roundrobin:3", data: true},
	{args: "--name=a --size=256k --nrfiles=8 --openfiles=2 --rw=read --file_service_type=sequential"},
	{args: "--name=a --size=256k --nrfiles=2 --filename_format=f.$jobnum.$filenum --rw=write"},
	{args: "--name=a --filename=x:y --size=256k --rw=write"},
	{args: "--name=a --filesize=16k-64k --nrfiles=4 --rw=randread --unlink=1", order: loose},
	{args: "--name=a --filesize=16k-64k --nrfiles=2 --numjobs=2 --rw=write --loops=2 --unlink=1", order: loose},
	{args: "--name=a --filename=s/t/x --size=64k --rw=write"},
	{args: "--name=a --directory=.:. --nrfiles=2 --size=64k --rw=write"},
	{args: "--name=a --opendir=. --rw=read", trace: strings.Repeat("0123", 5<<10), lay: true, order: set},
	{args: "--name=a --opendir=. --rw=randread --loops=2 --bs=8k --ioengine=libaio --iodepth=4", trace: strings.Repeat("0123", 5<<10), lay: true, order: counts},
	{args: "--name=a --opendir=. --rw=read --bs=64k --numjobs=2", trace: "small", lay: true, order: set},
	{args: "--name=a --size=64k --rw=write --unlink=1"},
	{args: "--name=a --filename=data --size=64k --rw=write --create_on_open=1"},
	{args: "--name=a --filename=data --size=256k --rw=write --overwrite=1"},
	{args: "--name=a --filename=data --size=64k --rw=write --fallocate=truncate"},
	{args: "--name=a --filename=data --size=256k --rw=write --create_only=1", order: unlogged, blank: true},
	{args: "--name=a --filename=data --size=256k --rw=read --pre_read=1"},
	{args: "--name=a --size=256k --nrfiles=4 --rw=read --pre_read=1"},
	{args: "--name=a --size=64k --rw=write --file_append=1"},
}

var syncJobs = []peerJob{
	{args: "--name=a --filename=data --size=64k --rw=write --fsync=4", syncs: &syncs{fio: 3, moonio: 4, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=write --fdatasync=1", syncs: &syncs{moonio: 16, shorts: true, why: "fio counts these as short reads"}},
	{args: "--name=a --filename=data --size=64k --rw=write --sync_file_range=write:4", syncs: &syncs{moonio: 4, shorts: true, why: "fio counts these as short writes"}},
	{args: "--name=a --size=256k --nrfiles=4 --rw=write --fsync=4", syncs: &syncs{fio: 15, moonio: 16, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=randrw --fsync=1 --rwmixread=0", order: places, syncs: &syncs{fio: 15, moonio: 16, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --fsync=1 --ioengine=libaio --iodepth=4", order: set, syncs: &syncs{fio: anyCount, moonio: 16, why: "fio leaves out those that are due while as many as iodepth are in flight"}},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --end_fsync=1", order: set},
	{args: "--name=a --filename=data --size=64k --rw=write --fsync=4 --fdatasync=2", syncs: &syncs{fio: 3, moonio: 8, shorts: true, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=write --fsync=4 --sync_file_range=write:2", syncs: &syncs{fio: 3, moonio: 8, shorts: true, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=write --fsync_on_close=1"},
	{args: "--name=a --filename=data --size=64k --rw=write --sync=dsync"},
	{args: "--name=a --filename=data --size=64k --rw=write --ioengine=pvsync2 --hipri --direct=1"},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --sync=1", order: set},
}

var timeJobs = []peerJob{
	{args: "--name=a --filename=data --size=64k --rw=read --rate_iops=2000"},
	{args: "--name=a --filename=data --size=64k --rw=read --rate=8m"},
	{args: "--name=a --filename=data --size=64k --rw=randrw --rate=8m,4m", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=randrw --rate_iops=,200 --number_ios=100 --norandommap", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=rw --rate=16m,0", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=randread --rate_iops=4000 --rate_process=poisson", order: set},
	{args: "--name=a --filename=data --size=64k --rw=write --thinktime=100 --thinktime_blocks=4"},
	{args: "--name=a --filename=data --size=64k --rw=write --thinktime=100 --thinktime_spin=50 --thinktime_blocks=8 --thinktime_blocks_type=issue"},
	{args: "--name=a --filename=data --size=64k --rw=read --runtime=60"},
	{args: "--name=a --filename=data --size=64k --rw=read --runtime=1s --time_based", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=read --runtime=1s --time_based --number_ios=10", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=read --runtime=1200ms --ramp_time=200ms --time_based --thinktime=1000", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=read --startdelay=50ms"},
	{args: "--name=a --filename=data --size=256k --rw=randread --loops=3", order: counts},
	{args: "--name=a --filename=data --size=64k --rw=read --loops=3 --invalidate=0 --fadvise_hint=0"},
}

var dataJobs = []peerJob{
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=0xdeadbeef", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=\"abcd\"-12", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=0x1122334455 --bs=8k --ioengine=io_uring --iodepth=4 --direct=1", order: set, data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=\"moonio\" --ioengine=mmap", data: true},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --zero_buffers", data: true, order: set},
	{args: "--name=a --filename=data --size=64k --rw=write --refill_buffers"},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_compress_percentage=50 --refill_buffers"},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_compress_percentage=50 --buffer_pattern=0xdeadbeef --buffer_compress_chunk=1k"},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_compress_percentage=100 --buffer_pattern=0xdeadbeef", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --dedupe_percentage=30"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=pattern --verify_pattern=0x5a", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=pattern --verify_pattern=0xab%o", data: true},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --verify=crc32c", order: set},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=md5"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=crc64 --verify_fatal=1"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=sha1 --bs=8k --verify_interval=4k"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=sha256 --do_verify=0"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=sha512 --ioengine=libaio --iodepth=4", order: set},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --verify=xxhash --verify_backlog=4", order: set},
	{args: "--name=a --filename=data --size=80k --rw=write --verify=md5 --verify_backlog=8 --verify_backlog_batch=4"},
	{args: "--name=a --filename=data --size=80k --rw=write --verify=md5 --verify_backlog=3 --verify_backlog_batch=8"},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=0xff'trace.log'\"ab\"", trace: "hello%d\n\x00xyz", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern='trace.log'", trace: strings.Repeat("0123456789", 70), data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=pattern --verify_pattern=%o'trace.log'", trace: "hello", data: true},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=crc16"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=crc7 --verify_interval=512"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=md5 --bs=2k --verify_interval=4k"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=crc16 --bs=4k --verify_interval=3k"},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=pattern --verify_pattern=0x5a --buffer_pattern=0x77", data: true},
	{args: "--name=a --filename=data --size=64k --rw=randwrite --verify=sha3-256", order: set},
	{args: "--name=a --filename=data --size=64k --rw=write --verify=meta --verify_interval=1k"},
	{args: "--name=a --filename=data --size=64k --rw=randrw --verify=crc32", order: loose},
}

var reportJobs = []peerJob{
	{args: "--name=a --filename=data --size=64k --rw=read --clat_percentiles=0"},
	{args: "--name=a --filename=data --size=64k --rw=read --lat_percentiles=1 --slat_percentiles=1 --percentile_list=99.5:50"},
	{args: "--name=a --filename=data --size=64k --rw=randrw --unified_rw_reporting=mixed --numjobs=2 --group_reporting", order: places},
	{args: "--name=a --filename=data --size=64k --rw=randrw --unified_rw_reporting=both", order: places},
	{args: "--name=a --filename=data --size=64k --rw=write --gtod_reduce=1 --fsync=8", order: unlogged, syncs: &syncs{fio: 1, moonio: 2, why: lastLeftOut}},
	{args: "--name=a --filename=data --size=64k --rw=read --disable_clat=1 --disable_slat=1"},
	{args: "--name=a --filename=data --size=64k --rw=read --disable_bw=1 --disable_lat=1", order: unlogged},
	{args: "--name=a --filename=data --size=64k --rw=read --description=words"},
	{args: "--name=a --filename=data --size=64k --rw=read --disk_util=0"},
	{args: "--name=a --filename=data --kb_base=1000 --size=64k --rw=read --unit_base=1 --significant_figures=6"},
	{args: "--name=a --filename=data --size=64k --rw=read --continue_on_error=all"},
	{args: "--name=a --filename=data --size=64k --rw=read --max_latency=10s"},
	{args: "--name=a --filename=data --size=64k --rw=read --write_bw_log=x --write_iops_log=x"},
	{args: "--name=a --filename=data --size=64k --rw=read --numjobs=2 --per_job_logs=0"},
	{args: "--name=a --filename=data --size=64k --rw=read --terse-version=2", order: unlogged},
	{args: "--name=a --filename=data --size=64k --rw=randrw --terse-version=4", order: places},
	{args: "--name=a --filename=data --size=64k --rw=read --terse-version=5", order: unlogged},
	{args: "--name=a --filename=data --size=64k --rw=randread --prio=1 --prioclass=1 --log_prio=1", order: set},
}

var jobFiles = []peerJob{
	{args: "-name=a -filename data -size 64k -rw read"},
	{args: "--name=a --filesize=128k --size=50% --rw=write --nrfiles=2"},
	{args: "--name=a --filename=data --filesize=64k --size=50% --rw=read", lay: true},
	{args: "-nam=a --filename=data --size=64k --readw=read --numj=2 --group"},
	{args: "--rw=write --size=64k --name=a --name=b --rw=randread --bs=8k", order: set},
	{args: "--rw=write --size=64k --name=a --stonewall --name=b --stonewall --rw=read --filename=a.0.0"},
	{args: "--section=b", file: "[global]\nsize=64k\n[a]\nrw=write\n[b]\nrw=write\nbs=16k\n"},
	{args: "--bs=8k", file: "[global]\nsize=64k\n[a]\nrw=write\n"},
	{file: "[a]\nname=other\nsize=64k\nrw=write\n[b]\nstonewall\nname=more\nsize=64k\nrw=read\nfilename=a.0.0\n"},
	{file: "[global]\nioengine=io_uring\nregisterfiles\nfixedbufs\nsize=64k\n[a]\niodepth=4\nrw=randread\n[b]\nioengine=mmap\nrw=write\n", order: set},
	{file: "[a]\nsize=64k\nrw=write\nfilename=${HOME_NOT_SET}x\n"},
	{file: "[global]\nname=g\nrw=write\n[a]\nfilesize=16*1000*$ncpus\nnumjobs=$ncpus\n[b]\nname=c\nfilename=b\nsize=64k\nthreads=1\nexperimental_verify=1\nunit_base=8\n"},
	{args: "--name=a --filename=data --size=64k --rw=write --buffer_pattern=\"ab\"-120xdeadface --filesize=64k", data: true},
	{file: "[global]\nsize=64k\n\n[a]\nrw=write\ndescription=two words\n[global]\nbs=8k\n[b]\nrw=write\n"},
	{file: "[a]\nsize=64k\nrw=write\nnumjobs=2\n[b]\nnumjobs=2\nstonewall\nsize=32k\nrw=randread\n", order: set},
	{file: "[global]\ngroup_reporting\nsize=64k\n[a]\nrw=write\n[b]\nrw=read\npercentile_list=50:99.999\n"},
	{file: "[global]\ngroup_reporting\nsize=64k\n[a]\nrw=write\n[b]\nrw=read\n[c]\nstonewall\nrw=randread\nnumjobs=2\n", order: set},
	{file: "[global]\nsize=64k\n[a]\nrw=write\n[b]\nwait_for=a\nrw=read\nfilename=a.0.0\n"},
	{file: "[global]\nsize=64k\n[a]\nrw=write\n[b]\nrw=write\nthinktime=2000\n[c]\nwait_for=a\nrw=read\nfilename=a.0.0\n"},
	{file: "[global]\nsize=64k\n[a]\nrw=write\n[b]\nwait_for=a\nrw=read\nfilename=a.0.0\n[c]\nrw=write\nbs=8k\n"},
	{file: "[global]\nsize=64k\n[a]\nrw=write\nnumjobs=2\n[b]\nrw=randread\n[c]\nwait_for=a\nrw=read\nioengine=libaio\n[d]\nwait_for=c\nrw=write\nrate_iops=1000\nruntime=60\n", order: set},
	{file: "[global]\nsize=64k\nrw=write\nthinktime=10ms\n[a]\nnumber_ios=10\n[b]\nexitall\nio_size=10g\n", order: loose},
	{file: "[global]\nsize=64k\nrw=write\nthinktime=10ms\n[a]\nexitall\nnumber_ios=10\n[b]\nio_size=10g\n[c]\nnew_group\nthinktime=5ms\n", order: loose},
	{args: "--name=a --filename=data --size=64k --rw=write --ignore_error=,ENOSPC"},
	{file: `[global]
filename=data
size=64k
[first]
rw=write
[second]
stonewall
rw=read
bs=8k
`},
	{file: `[global]
size=64k
bs=4k
group_reporting
[w]
filename=w
rw=write
numjobs=2
[r]
new_group
filename=r
rw=read
`},
	{file: `[lay]
filename=data
rw=write
size=128k
buffer_pattern=0x11
[more]
wait_for=lay
filename=data
size=128k
io_size=64k
rw=write
bs=8k
buffer_pattern=0x22
`, data: true},
	{file: `[global]
ioengine=libaio
iodepth=4
size=128k
directory=.
; a comment
[a]
# another
filename=$jobname.x
rw=randwrite
[b]
startdelay=20ms
rw=randrw
rwmixread=20
`, order: places},
}

// shortTrace is what a job of fio's did in 20 ms, a sync among it.
const shortTrace = `fio version 3 iolog
0 data add
0 data open
5 data read 0 4096
4000 data read 8193 4096
8000 data write 16384 8192
9000 data sync 0 0
16000 data read 40960 512
20000 data close
`

var traceJobs = []peerJob{
	{args: "--name=a --read_iolog=trace.log", trace: shortTrace, lay: true},
	{args: "--name=a --read_iolog=trace.log --replay_no_stall=1 --ioengine=io_uring", trace: shortTrace, lay: true, order: set},
	{args: "--name=a --read_iolog=trace.log --replay_scale=3", trace: shortTrace, lay: true},
	{args: "--name=a --read_iolog=trace.log --replay_align=4k --direct=1", trace: shortTrace, lay: true, order: counts},
	{args: "--name=a --read_iolog=trace.log --replay_scale=2 --replay_align=4k --replay_time_scale=200", trace: shortTrace, lay: true},
	{args: "--name=a --read_iolog=trace.log --replay_redirect=data", trace: strings.ReplaceAll(shortTrace, "data", "other"), lay: true},
	{args: "--name=a --read_iolog=trace.log --read_iolog_chunked=1 --rw=randwrite --size=8k --loops=2", trace: shortTrace, lay: true},
	{args: "--name=a --read_iolog=trace.log", trace: "fio version 2 iolog\ndata add\ndata open\ndata write 0 4096\ndata write 12288 4096\ndata read 0 4096\ndata close\n", lay: true},
	{args: "--name=a --read_iolog=trace.log --numjobs=2 --group_reporting", trace: shortTrace, lay: true},
}
