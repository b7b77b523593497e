// Package sim is a storage device made of arithmetic, with a virtual clock. A
// script is tried on it before it is pointed at a disk, and tests measure it
// because the same seed gives the same completions at the same times.
//
// # Time
//
// A [World] is one device, one namespace in memory and one clock, for all the
// workers of a run. The clock stands still while workers run and moves inside
// Wait: straight to the completion, deadline or Wake that ends it. It goes on
// from phase to phase. A Wait for nothing (min is 0) that finds nothing takes
// 200 ns, so that a loop that polls gets somewhere.
//
// # Several workers
//
// World.Open gives each worker an engine. All engines of a phase are opened
// before any of them first waits; from then on one worker runs at a time.
// Time moves when every worker is inside Wait, and then one is let go: the one
// whose Wait ends first, and of equals the one that was opened first. So the
// goroutines' own timing has no part in a run's results, as long as engines are
// opened in a fixed order and a worker
//   - waits once, for nothing, before it touches anything that it shares with other workers;
//   - blocks on other workers nowhere but in Wait, which their Wake ends;
//   - closes its engine itself when it is done, since until then the others wait for it.
//
// A worker that is alone takes no lock and uses no channel.
//
// # The device
//
// Operations wait, in the order in which they come, for one of parallelism
// servers. A server holds an operation for its service time, which is drawn
// from a distribution, and for what the rest of the device adds to it:
//
//   - Bandwidth: transfers in one direction follow one another at the cap.
//   - Write cache: a write is done once it fits in the cache, which drains at
//     a constant rate; a full cache takes writes at that rate. Without a cache
//     every write goes at the drain rate. A durable write (O_DSYNC) goes past the
//     cache at the drain rate, and costs an fsync.
//   - fsync costs its own time after the cache has drained, unless the cache is
//     protected against power loss. One flush runs at a time, and those asked for
//     meanwhile become one: the next. fsync pays for the file's
//     metadata on top, fdatasync does not.
//   - IOPS and burst credits: every read or write takes a credit. Credits come in at
//     the iops rate until the bucket is full, and are spent at burst-iops at most.
//   - Garbage collection: for gc-length at the end of every gc-period the whole device
//     stands still, or is gc-slow times slower.
//   - Rotation: with rpm set, one arm serves everything, and picks of the first
//     queue-depth operations the one that it reaches soonest, unless it has passed
//     the oldest by for long. A seek takes track-seek plus a share that grows with
//     the root of the distance, the platter turns meanwhile, and data passes at the
//     transfer rate. Reading on from where the last operation ended needs no turn;
//     writing on needs none only if the write was there in time. What a write cache
//     takes in moves no arm. Files lie scattered over the stroke, each in one piece.
//
// A capacity makes what needs more fail with ENOSPC. Otherwise operations do what
// they do in package memfs, at the time at which they complete.
//
// Metadata (open, create, rename, allocate, …) takes the host's time and none of the device's.
//
// # Profiles
//
// Each is a typical device of its kind. With 4 KiB blocks and more in flight than
// it serves at once, it makes about:
//
//	profile       random reads            random writes               fsync     bandwidth
//	nvme          790 k IOPS, 80 µs       1.2 M IOPS, then 490 k      0.5 ms    7.0 / 5.0 GB/s, then 2.0
//	sata-ssd      95 k IOPS, 100 µs       127 k IOPS, then 85 k       1.5 ms    550 / 520 MB/s, then 350
//	hdd           200–700 IOPS, 5–12 ms   the same                    8 ms      200 MB/s
//	cloud-volume  3000 IOPS, 0.6 ms       3000 IOPS, 0.8 ms           1 ms      250 MB/s
//
// The times are those at depth 1; "then" is once the write cache is full. The hdd
// is the slower the more of the stroke is used, and does 80 to 190 IOPS at depth 1;
// its write cache is turned off, as databases want it. The cloud-volume bursts to
// 3000 IOPS for 45 minutes from a full bucket of 5.4 million credits, and then has
// 1000; credits=60000 makes that 30 seconds.
package sim
