---@meta moonio
--- The DSL of moonio scripts: what is there without any `require`.
---
--- A script's top level is the director. It runs once, from top to bottom, and runs phases one
--- after another. Sizes, durations and rates are strings with units ("4KiB", "1.5s", "20k/s") or plain numbers
--- (bytes, seconds, per second); `4k` means 4 KiB.
---
--- The language is Lua 5.1, with its base functions, `string`, `table`, `math` and `coroutine`. What would reach the machine
--- or load code is not there: `io`, `os`, `debug`, `load`, `dofile`. `require "name"` finds moonio's own modules, then files
--- beside the script.

---A number of bytes: a string with a unit ("4KiB", "1.5MiB", "4k") or a plain number.
---@alias Size string|number
---A length of time: a string with a unit ("10s", "1.5ms", "1h30m") or a plain number of seconds.
---@alias Duration string|number
---A rate: "20k/s" operations, "800MiB/s" bytes, a plain number of operations per second, or a `ramp`, `burst` or `steps`.
---@alias Rate string|number|RateCurve
---Where an operation goes: a byte offset, or a pattern to draw it from.
---@alias At Size|Pattern
---A block size: one size, a split such as "4k/60:64k/40", a range such as "4k-64k", or a table of sizes and weights.
---@alias Block Size|table<string, number>

--#region parameters

---A parameter: `{ default, help }`. The default's unit gives the type: size, duration, rate (operations per second become a number, bytes per second stay a string),
---integer, number, boolean or string; with `choice` it is one of a list.
---@class ParamSpec
---@field [1] string|number|boolean the default; a whole number is an integer unless one of its bounds is not
---@field [2] string what it is, for `--help`
---@field choice? (string|number)[] the values that are allowed
---@field min? string|number the smallest value that is allowed
---@field max? string|number the largest value that is allowed

---Declares the script's parameters and returns their values: sizes in bytes, durations in seconds, rates per second.
---The user sets them with `-p name=value`. It can be called once, at the top level.
---@param specs table<string, ParamSpec|string|number|boolean> by name; a bare default has no help
---@return table<string, any>
function params(specs) end

--#endregion
--#region files

---How a file is opened.
---@class OpenOptions
---@field size? Size lay the file out to this size before the first phase. Appending then starts at its beginning and goes round, as in a recycled log. Without it the file starts empty, if it is new, and appending makes it grow.
---@field layout? "write"|"allocate"|"sparse" how it is laid out: with data that does not compress (the default), with blocks reserved, or with a hole
---@field direct? boolean go past the page cache (O_DIRECT). Operations must then be aligned as the storage requires; on `sim` and `null`, to 512 bytes. Default: false.
---@field sync? "none"|"dsync"|"sync" make each write durable before it completes (O_DSYNC, O_SYNC). Default: "none".
---@field create? boolean make the file if it is not there. Default: true.
---@field exclusive? boolean fail if the file is there. Default: false.
---@field truncate? boolean empty the file. Default: false.
---@field verify? VerifyMethod|VerifyOptions verify what clients and streams write to it. Only at the top level. Default: not at all.
---@field invalidate? boolean drop the file from the page cache, after writing back what is dirty. Only at the top level. Default: false.
---@field advice? "random"|"sequential" what the kernel is told about the reads to come: for random places it reads nothing ahead, in sequence it reads more ahead. Only at the top level. Default: nothing.
---@field write? boolean open for writing too. Default: true, unless the file is one that moonio did not make and may not write.

---Opens a file beneath the run's directory. At the top level it is laid out there and then; in a client the open
---is an operation like any other, timed as "open", or as "create" if it has to make the file, and `size` is not allowed.
---A directory is opened with `write = false`, so that a client can make what it created or renamed in it durable with `fsync`.
---Here and below, a failure ends the phase, unless `on_error = "count"`: then nil and the reason are returned.
---@param name string its name beneath the run's directory; or the path of a device that `--device` named
---@param options? OpenOptions
---@return File
function open(name, options) end

---Makes a directory, timed as "mkdir". Nothing happens if moonio made it before.
---@param name string
function mkdir(name) end

---Gives a file another name, replacing what has that name, timed as "rename".
---@param from string
---@param to string
function rename(from, to) end

---Removes a file, timed as "unlink". Directories stay until the end of the run.
---@param name string
function unlink(name) end

---Looks a name up, timed as "stat". Nothing is returned when there is no such name, which is no failure.
---@param name string
---@return integer? size in bytes
---@return boolean? directory whether it is one
function stat(name) end

---Lists a directory, timed as "list".
---@param name? string default: the run's directory
---@return string[] names sorted
function list(name) end

---An open file. At the top level its operations are done at once and not timed. In a client each looks blocking and is
---asynchronous underneath. A failed operation ends the phase, unless `on_error = "count"`: then it returns nil and
---the reason.
---@class File
local File = {}

---Reads n bytes.
---@param n Size
---@param at? At where; default: after this client's last read or write of the file, from its start, going round at its end
---@return integer? bytes that were read: fewer than n only where the file ends
---@return string? reason why it failed
function File:read(n, at) end

---Writes n bytes of data that does not compress.
---@param n Size
---@param at? At where; default: after this client's last read or write of the file, from its start, going round at its end
---@return integer? bytes that were written
---@return string? reason
function File:write(n, at) end

---Writes n bytes at the append position, which all clients share.
---@param n Size
---@return integer? bytes
---@return string? reason
function File:append(n) end

---Makes the file's data and metadata durable.
---@return integer? zero
---@return string? reason
function File:fsync() end

---Makes the file's data durable, and the metadata that is needed to read it.
---@return integer? zero
---@return string? reason
function File:fdatasync() end

---Writes a range's dirty pages back (sync_file_range). Not durable by itself.
---@param offset? Size default: 0
---@param length? Size default: to the end
---@return integer? zero
---@return string? reason
function File:sync_range(offset, length) end

---Gives a range's blocks back: punches a hole in a file, discards on a device.
---@param offset Size
---@param length Size
---@return integer? zero
---@return string? reason
function File:trim(offset, length) end

---Reserves a range's blocks.
---@param offset Size
---@param length Size
---@return integer? zero
---@return string? reason
function File:allocate(offset, length) end

---Makes the file shorter or longer.
---@param size Size
---@return integer? zero
---@return string? reason
function File:truncate(size) end

---Closes the file, timed as "close". It cannot be used afterwards. One that a stream or a replay of the phase works on cannot be closed in it.
---@return integer? zero
---@return string? reason
function File:close() end

---Makes the page cache give up what it holds of the file, after writing back what is dirty, so that what is read next comes from the
---storage. Only at the top level, and not an operation.
function File:invalidate() end

---The file's size in bytes, as far as this run knows it. Not an operation.
---@return integer
function File:size() end

---The file's name. Not an operation.
---@return string
function File:name() end

---Where the next append goes. Not an operation.
---@return integer
function File:tail() end

--#endregion
--#region phases

---What a phase is and when it ends: at its duration, ops, bytes or iterations, whichever comes first, or when its jobs
---are done. What is in flight at its end is waited for and belongs to it.
---@class PhaseOptions
---@field duration? Duration measured time
---@field ops? integer I/O operations, of any kind
---@field bytes? Size bytes read and written
---@field iterations? integer turns of its clients
---@field warmup? Duration time before the measuring, run and not recorded. Default: 0.
---@field threads? integer worker threads, for the jobs that have none of their own. Default: 1.
---@field engine? string the engine of these threads, as for --engine: "psync", "io_uring:sqpoll". Default: the run's. With --engine on the command line, that one is used.
---@field cpus? string|integer|integer[] the CPUs that they may run on: "0-3,8" or {0, 1}. Default: any.
---@field cpus_policy? "shared"|"split" all of these CPUs for every thread, or one for each, taken in turn. Default: "shared".
---@field numa? string|integer|integer[] the NUMA nodes that their memory comes from, and their CPUs unless `cpus` says which
---@field nice? integer from -20, the most favourable, to 19. Default: as the program was started.
---@field ioprio? string the priority of their I/O: "rt/0" to "rt/7", "be/0" to "be/7", or "idle"
---@field interval? Duration of the time series. Default: the command line's --interval, or 1s, and more in a phase of more than 13 hours.
---@field steady? SteadyOptions ends the phase too, when it holds still
---@field on_error? "stop"|"count"|string[] whether the first failed operation ends the run, or is counted. A list such as `{ "EIO", "ENOSPC" }` says after which errors it goes on. Default: "stop".
---@field fault? string|string[] faults to inject in this phase, as for --fault (docs/engines.md has the rules)
---@field expect? fun(r: PhaseResult): boolean? called with the phase's result: it can call `expect`, or return whether the result is as it must be

---When a phase counts as steady. Each second of it is one value; the phase needs a duration or another end as well.
---@class SteadyOptions
---@field metric? "iops"|"bandwidth"|"latency" the figure that has to hold still, over all jobs; "latency" is the mean service time. Default: "iops".
---@field limit? string|number how far the furthest value may be from the mean: per cent of the mean ("5%"), or a value of the metric (operations or bytes per second, or seconds); it must be given
---@field slope? boolean apply the limit to the slope of the straight line through the values (its change per second) instead. Default: false.
---@field window? Duration how long the window of the last values is. Default: "60s".
---@field ramp? Duration how much of the phase's beginning does not count. Default: 0.

---Runs a phase and returns what it measured. Only the top level can.
---@param name string
---@param options PhaseOptions
---@param jobs Job|Job[]
---@param ... Job
---@return PhaseResult
function phase(name, options, jobs, ...) end

---A job of a phase, made by `stream`, `clients` or `replay`. It can be used in several phases.
---@class Job

---What writes carry.
---@class DataOptions
---@field kind? "random"|"zero"|"pattern" Default: "random"; with only a pattern given: "pattern".
---@field pattern? string bytes that are repeated: parts one behind the other, each a text in double quotes, hexadecimal ("0xdeadbeef"), a decimal number, a file of the run's directory in single quotes, or %o, the block's offset in 8 bytes. A text that is none of these stands for itself. With `compress`, what takes the place of zeros.
---@field compress? number per cent of random data that can be compressed away
---@field chunk? Size the unit in which each stretch of data has that share. Default: "512".
---@field dedupe? number per cent of writes that repeat an earlier one's data
---@field pool? integer how many of the latest different ones they choose from. Default: 1.
---@field refill? boolean make random data anew for each write. Default: with compress or dedupe true, otherwise false.

---What a block is checked by: a checksum of its data, every byte of a pattern, or its header alone.
---@alias VerifyMethod "crc32c"|"crc32"|"crc64"|"xxhash"|"md5"|"sha1"|"sha256"|"sha512"|"pattern"|"header"|"crc16"|"crc7"|"sha3-224"|"sha3-256"|"sha3-384"|"sha3-512"

---How what is written is verified. Every block is written with a header that says what it is: offset, sequence, seed, generation, length,
---checksum; except with "pattern", which has none. Every read of a verified file checks the blocks that it gets whole, by all of a phase's
---jobs. What is known of the blocks is kept in a file beside the verified one, by which a later run can check it,
---also after a crash: what was acknowledged must be there if only the program died, and what was synced if the machine did.
---
---A mismatch is named: "flipped bit", "swapped block" (the content of another block), "stale block" (an older generation), "torn write"
---(parts of two), "lost write" (zeros), "foreign data", "corrupt block". A run with mismatches ends with exit code 1.
---@class VerifyOptions
---@field method? VerifyMethod Default: "crc32c".
---@field interval? Size of a block that has a header. Default: what all of the stream's writes are multiples of; for an opened file "4KiB".
---@field pattern? string what follows the headers, as in `data`
---@field backlog? integer read back and check what was written after so many writes
---@field backlog_batch? integer how many of them at a time, the oldest first; the rest waits for more writes, or the job's end. Default: all.
---@field only? boolean write nothing, and read back what was written, as `verify` does. Default: false.
---@field fatal? boolean the first mismatch ends the phase and the run; otherwise they are counted. Default: true; of a job that only reads back: false.
---@field dump? boolean keep the first blocks that mismatch, and what they should have been, as NAME.OFFSET.found and NAME.OFFSET.expected; like all files of the run they stay with --keep. Default: false.
---@field state? string the file in which what is known is kept. Default: NAME.verify.

---A load that is known in advance.
---@class StreamOptions
---@field file? File where it goes
---@field files? File[] several files
---@field file_order? "random"|"roundrobin"|"sequential"|Pattern the order in which several files are used: drawn for each operation; one after the other; each until it has been asked for as many bytes as its region holds; or drawn from a pattern over their list. Default: "random".
---@field file_run? integer operations on a file before the next is chosen. Default: 1.
---@field op? string|table<string, number> "read", "write", "append", "trim", "trimwrite" (a trim, then a write of the same place), "fsync", "fdatasync", "sync_range", or a mix such as { read = 70, write = 30 }. Default: "read".
---@field block? Block size of one operation. Default: "4KiB".
---@field block_step? Size how far the sizes of a range are apart, as in block = "1000-5000", block_step = 1. Default: the range's first size, whose multiples they then are.
---@field read_block? Block for reads, where they differ
---@field write_block? Block for writes, where they differ
---@field at? Pattern where operations go. Default: `random()`.
---@field read_at? Pattern for reads, where they differ
---@field write_at? Pattern for writes, where they differ
---@field offset? Size start of the region that it stays in. Default: 0.
---@field size? Size length of the region. Default: to the file's end.
---@field align? Size what offsets are multiples of. Default: the smallest block.
---@field depth? integer the most operations in flight, over all threads. Default: 1, or one for each thread of its own; with a rate, or one for each direction: at least 256.
---@field rate? Rate issue at this rate instead of as fast as the depth allows
---@field read_rate? Rate of the reads of a mix with writes, which keep to it by themselves; without write_rate the writes are a closed loop beside them
---@field write_rate? Rate of the writes of a mix with reads, likewise
---@field arrival? "uniform"|"poisson" how a rate's operations are spaced. Default: "uniform".
---@field start? Duration after the phase's measured start. Default: 0.
---@field duration? Duration how long it runs. Default: to the phase's end.
---@field ends_phase? boolean the phase ends when it is done, whatever other jobs still have to do. Default: false.
---@field ends? string|string[] other jobs of the phase, by their names, that begin nothing more when it is done: streams and replays. Default: none.
---@field after? string|string[] jobs of the phase that must be over before it begins, by their names; start and duration count from then. Default: none.
---@field ops? integer ends after so many operations
---@field bytes? Size ends after so many bytes
---@field passes? integer ends after so many passes over the region, with `permute` and `sequential`
---@field fsync? integer an fsync after every so many writes have completed
---@field fdatasync? integer the same with fdatasync. Where an fsync is due too, that is enough.
---@field sync_range? integer the same with sync_range, from the first to the last byte that these writes covered
---@field sync_at_end? "fsync"|"fdatasync" a sync of every file at the stream's end, when all of it has completed
---@field until_full? boolean the job ends without an error when a write finds no more room (ENOSPC), such as appends that nothing else ends. Not allowed on the running system's file system, nor on a large one in memory. Default: false.
---@field dsync? boolean make each write durable before it completes
---@field invalidate_every? Size after so many bytes, drop what is clean of the stream's files from the page cache, so that the next pass reads from storage. Default: never.
---@field submit_batch? integer the most operations to hand over in one call. Default: as many as there is room for, in as many calls as the device leaves time for.
---@field batch? integer completions to wait for at a time; 0 polls instead of waiting. Default: 1, and all that have come with it.
---@field batch_max? integer completions to take at a time. Default: as many as there are.
---@field depth_low? integer once the depth is reached, let the operations in flight fall to this many before issuing more. Default: fill up at once.
---@field data? "random"|"zero"|DataOptions what writes carry. Default: random data that does not compress, kept from write to write, with a stamp of its own in every 4 KiB.
---@field verify? VerifyMethod|VerifyOptions how what is written is verified. Default: not at all.
---@field max_latency? Duration an operation that takes longer counts as failed
---@field think? Duration|Duration[]|Delay|fun(): Duration how long the stream pauses, on each of its threads by itself, after what is in flight has completed: a time, a range ("1ms-5ms" or {"1ms", "5ms"}), `exponential("1ms")`, or a function that says so. With a rate, the schedule waits meanwhile.
---@field think_every? integer|Duration operations from one pause to the next, or time at work ("100ms"). Default: 1.
---@field think_after? "complete"|"issue" whether operations count when they complete or when they begin. Default: "complete".
---@field think_spin? Duration how much of a pause is spent computing. Default: 0.
---@field think_catch_up? boolean issue at once what a rate made fall due during a pause. Default: false.
---@field ioprio_share? table { per cent, priority }: give so many of the operations an I/O priority of their own, as in { 10, "rt/0" }; or a list of such entries, each of the operations of a kind or of a block size, as in { { 20, "rt/0", op = "read" }, { 5, "be/7", block = "64KiB" } }. The result has the latencies of each priority.
---@field threads? integer threads of the stream's own, over which its depth is shared out. Default: the phase's, which jobs share; 1 when one of the options below is given.
---@field engine? string the engine of these threads, as for --engine: "psync", "io_uring:sqpoll". Default: the run's. With --engine on the command line, that one is used.
---@field cpus? string|integer|integer[] the CPUs that they may run on: "0-3,8" or {0, 1}. Default: any.
---@field cpus_policy? "shared"|"split" all of these CPUs for every thread, or one for each, taken in turn. Default: "shared".
---@field numa? string|integer|integer[] the NUMA nodes that their memory comes from, and their CPUs unless `cpus` says which
---@field nice? integer from -20, the most favourable, to 19. Default: as the program was started.
---@field ioprio? string the priority of their I/O: "rt/0" to "rt/7", "be/0" to "be/7", or "idle"

---A load that is known in advance: an operation mix at a depth or a rate. It costs the least per operation.
---@param name string under which its results are found
---@param options StreamOptions
---@return Job
function stream(name, options) end

---A job that reads back once, and checks, all that a stream with these options is known to have written in this run or an earlier one. Of the options,
---those that say where and how count: `file`, `files`, `offset`, `size`, `block`, `depth`, `data`, `verify`, and threads. Without the state of
---an earlier run, blocks are judged by what their headers say; with `passes`, also how often each must have been written.
---@param name string|StreamOptions under which its results are found; it may be left out. Default: "verify".
---@param options? StreamOptions
---@return Job
function verify(name, options) end

---@class ClientsOptions
---@field start? Duration after the phase's measured start. Default: 0.
---@field duration? Duration how long they run. Default: to the phase's end.
---@field rate? Rate of turns, of all of them together, instead of one after the other: a turn that falls due goes to a client that is free, or waits until one is. Each of several threads has its part of the clients and of the turns. "iteration" has a response time then, from when the turn fell due.
---@field arrival? "uniform"|"poisson" how a rate's turns are spaced. Default: "uniform".
---@field iterations? integer turns that each of them makes, after which it is done; those of the warm-up do not count. Default: as many as there is time for.
---@field after? string|string[] jobs of the phase that must be over before they begin, by their names; start and duration count from then. Default: none.
---@field ends_phase? boolean the phase ends when they are done, whatever other jobs still have to do. Default: false.
---@field ends? string|string[] other jobs of the phase, by their names, that begin nothing more when they are done: streams and replays. Default: none.
---@field threads? integer threads of the clients' own, over which they are shared out. Default: the phase's, which jobs share; 1 when one of the options below is given.
---@field engine? string the engine of these threads, as for --engine: "psync", "io_uring:sqpoll". Default: the run's. With --engine on the command line, that one is used.
---@field cpus? string|integer|integer[] the CPUs that they may run on: "0-3,8" or {0, 1}. Default: any.
---@field cpus_policy? "shared"|"split" all of these CPUs for every thread, or one for each, taken in turn. Default: "shared".
---@field numa? string|integer|integer[] the NUMA nodes that their memory comes from, and their CPUs unless `cpus` says which
---@field nice? integer from -20, the most favourable, to 19. Default: as the program was started.
---@field ioprio? string the priority of their I/O: "rt/0" to "rt/7", "be/0" to "be/7", or "idle"

---Concurrent clients, each of which calls the function again and again. Every operation in it is timed under its own
---name, and every call as "iteration". The function is carried over to the workers with copies of what it captured: what it
---sets there, the script does not see. A `counter`, or the phase's result, gives something back.
---@param name string under which their results are found
---@param n integer how many, over all threads
---@param options ClientsOptions|fun(id: integer)
---@param fn? fun(id: integer) called with the client's number, from 1
---@return Job
function clients(name, n, options, fn) end

---A length of time that is drawn.
---@class Delay

---A length of time that is exponentially distributed, as between independent events.
---@param mean Duration
---@return Delay
function exponential(mean) end

---Waits. At the top level time passes between phases.
---@param d Duration|Duration[]|Delay how long: a time; a range ("1ms-5ms" or {"1ms", "5ms"}) from which it is drawn; or `exponential("1ms")`
function sleep(d) end

---Times what the function does under a name, and returns what it returns. Only in a client.
---A job can have 256 names.
---@generic T
---@param name string
---@param fn fun(): T
---@return T
function span(name, fn) end

---The time in seconds on the engine's clock; only differences mean something.
---@return number
function now() end

--#endregion
--#region captured workloads

---Captured workloads.
---@class Traces
trace = {}

---How a trace is read.
---@class TraceOptions
---@field format? string its format, as NAME or NAME:KEY=VALUE,…; `moonio trace formats` lists them. Default: it is recognised.
---@field args? table<string, string> what the format is told, such as { event = "Q" }

---A captured workload. Called, it gives the next record, and nothing at its end, as a loop does: `for io in trace.open(path) do … end`. A `replay`
---reads it anew.
---@class Trace

---Opens a trace: one that lies beside the script, or that one of the script's parameters names.
---@param path string|string[] a file, or several that belong together; compressed ones too
---@param options? TraceOptions
---@return Trace
function trace.open(path, options) end

---One operation of a trace. There is one record for all: what is to be kept of it must be copied.
---@class Record
---@field time number when it was issued, in seconds on the trace's clock
---@field op string "read", "write", "append", "fsync", "fdatasync", "sync_range", "trim", "allocate" or "truncate". An append whose offset is known is played as a write at it; set to "append", it goes to the end of the file.
---@field offset integer? in bytes; nil: at the end of the file
---@field length integer in bytes
---@field latency number? from issue to completion, in seconds; nil: not captured
---@field file string what it went to: a file, device or volume
---@field stream string who issued it: a process, thread or host
---@field flush boolean whether it flushes what was written before
---@field fua boolean whether it is durable when it completes
---@field direct boolean? whether it went past the page cache; nil: not captured, or of a device. It cannot be set.
local Record = {}

---Adds a copy of the record, as it is now, to what is played. Only in a replay's `map` function.
function Record:emit() end

---How a captured workload is played.
---@class ReplayOptions
---@field trace string|string[]|Trace what is played
---@field format? string as for trace.open
---@field args? table<string, string> as for trace.open
---@field skip_bad? boolean play it although more than 1 % of its lines cannot be read, or it is cut off. Default: false.
---@field map? fun(io: Record): boolean? called with each record: it can change it, add others with `io:emit()`, and return false to leave it out. It is called again each time the trace is read, in a Lua state of its own.
---@field timing? "captured"|"fast"|"dependent"|"streams" when records are issued: at their times; as fast as the depth allows; when all have completed that had when they were captured, and as long after; or each stream of the trace as a closed loop that thinks as it did. Default: "captured".
---@field speed? number 2 is twice as fast as captured. Default: 1.
---@field depth? integer the most records in flight, over all threads. Default: 1024; with timing = "fast": 32.
---@field from? Duration leave out what was before, since the trace's start
---@field to? Duration leave out what was after
---@field max_gap? Duration cut longer idle times to this
---@field loops? integer how often the trace is played. Default: 1.
---@field address? "keep"|"error"|"wrap"|"scale"|"compact"|"clamp"|"skip" what happens to offsets: as captured, and what is beyond the end is an error, which has both names; modulo the target's size; in proportion to it; extents moved together in the order of their first use; what is beyond the end goes to the end, or is left out. Default: keep, or compact where targets would be too large.
---@field chunk? Size what compact moves at a time. Default: "64KiB"; more where a trace touches very much.
---@field align? "expand"|"nearest"|"split"|"drop" what happens to what is not aligned as direct I/O needs it. Default: "expand".
---@field overlap? "allow"|"order"|"drop" what happens to a record that overlaps one in flight, if either writes. Default: "allow".
---@field late? "catch-up"|"shift"|"drop"|"abort" what happens to a record that is late: issued at once; all that follow are moved by as much; left out; the run fails. Default: "catch-up".
---@field late_limit? Duration how late, for shift, drop and abort. Default: 0.
---@field files? File|table<string, File> where the trace's files go, by their names or by patterns such as "*.db". Default, and for those without one: files that are laid out.
---@field size? Size of each file that is laid out. Default: as the trace needs it.
---@field direct? boolean whether files that are laid out are opened past the page cache. Default: as captured: what went through the page cache does so again, and all else, such as what a device did, goes past it.
---@field layout? "write"|"allocate"|"sparse" as for `open`. Default: "write".
---@field one? boolean lay out one file for all that the trace is of. Default: false.
---@field start? Duration after the phase's measured start. Default: 0.
---@field duration? Duration how long it is played. Default: to its end, or the phase's.
---@field ends_phase? boolean the phase ends when it is done, whatever other jobs still have to do. Default: false.
---@field ends? string|string[] other jobs of the phase, by their names, that begin nothing more when it is done: streams and replays. Default: none.
---@field after? string|string[] jobs of the phase that must be over before it begins, by their names; start and duration count from then. Default: none.
---@field threads? integer threads of the replay's own, which share the trace by files, or by streams. Default: the phase's, which jobs share; 1 when one of the options below is given.
---@field engine? string the engine of these threads, as for --engine: "psync", "io_uring:sqpoll". Default: the run's. With --engine on the command line, that one is used.
---@field cpus? string|integer|integer[] the CPUs that they may run on: "0-3,8" or {0, 1}. Default: any.
---@field cpus_policy? "shared"|"split" all of these CPUs for every thread, or one for each, taken in turn. Default: "shared".
---@field numa? string|integer|integer[] the NUMA nodes that their memory comes from, and their CPUs unless `cpus` says which
---@field nice? integer from -20, the most favourable, to 19. Default: as the program was started.
---@field ioprio? string the priority of their I/O: "rt/0" to "rt/7", "be/0" to "be/7", or "idle"

---A captured workload as a job: every record of the trace is issued, or counted under the reason why it was not. The trace is
---read once to find out what it needs, and a plan is written to standard error. The job has no part in a warm-up.
---@param name string under which its results are found
---@param options ReplayOptions
---@return Job
function replay(name, options) end

--#endregion
--#region queues

---Several operations of one client in flight: submitted now, waited for later. Results are counted by the queue.
---@class Queue
local Queue = {}

---Makes a queue that keeps at most that many operations in flight. When it is full, the next operation waits for room. Only in a client.
---What a queue still has in flight at the end of the turn that made it is waited for, and is part of that turn. One that is kept
---for the turns to come, such as in a table by the client's number, keeps its operations in flight from then on.
---@param depth integer
---@return Queue
function queue(depth) end

---Submits a read.
---@param file File
---@param n Size
---@param at? At
function Queue:read(file, n, at) end

---Submits a write.
---@param file File
---@param n Size
---@param at? At
function Queue:write(file, n, at) end

---Submits an append.
---@param file File
---@param n Size
function Queue:append(file, n) end

---Submits an fsync. It is not ordered after writes in flight: use `link` or `wait`.
---@param file File
function Queue:fsync(file) end

---Submits an fdatasync. It is not ordered after writes in flight: use `link` or `wait`.
---@param file File
function Queue:fdatasync(file) end

---Submits a sync_range.
---@param file File
---@param offset? Size
---@param length? Size
function Queue:sync_range(file, offset, length) end

---Submits a trim.
---@param file File
---@param offset Size
---@param length Size
function Queue:trim(file, offset, length) end

---Links the next operation to the one after it: that one starts only when this one has succeeded.
---@return Queue self
function Queue:link() end

---Waits until n more operations have completed, or all of them.
---@param n? integer
---@return integer completed operations since the last wait
---@return integer failed of them, with `on_error = "count"`
function Queue:wait(n) end

---How many operations are in flight.
---@return integer
function Queue:in_flight() end

--#endregion
--#region patterns

---Where operations go. A pattern is a value: it can be kept, shared between streams, and passed as `at`. One that goes from place
---to place, such as `sequential()`, is made at the top level: made in a client's function, it begins anew in each turn.
---@class Pattern

---Every block with the same probability.
---@return Pattern
function random() end

---@class SequentialOptions
---@field gap? Size bytes that are left out after each block. Default: 0.

---One block after another, going round at the region's end.
---@param options? SequentialOptions
---@return Pattern
function sequential(options) end

---One block before another, from the region's end to its start.
---@return Pattern
function reverse() end

---One block every so many bytes, going round: sequential with holes.
---@param step Size
---@return Pattern
function strided(step) end

---Zipf-distributed: rank k is drawn in proportion to 1/k^theta. The hot blocks are scattered over the region.
---@param theta number above 0 and at most 10
---@param centre? number where the hottest block is, as a share of the region from 0 to 1; then the others lie around it and are not scattered
---@return Pattern
function zipf(theta, centre) end

---Pareto-distributed (self-similar): with h = 0.2, 80 % of accesses go to 20 % of the blocks.
---@param h number between 0 and 1
---@param centre? number as for `zipf`
---@return Pattern
function pareto(h, centre) end

---A bell over the blocks, as fio's `normal`: a twelfth of the region wide, and shifted by up to the deviation.
---@param deviation number in per cent of the region
---@param centre? number as for `zipf`
---@return Pattern
function normal(deviation, centre) end

---A bell around a centre: places lie where it has them, and what would fall outside of the region is drawn again.
---@param deviation number the standard deviation in per cent of the region
---@param centre? number as a share of the region from 0 to 1. Default: 0.5.
---@return Pattern
function gaussian(deviation, centre) end

---So many per cent of the operations go where one pattern says, the others where another does.
---@param percent number of the first
---@param a Pattern
---@param b Pattern
---@return Pattern
function either(percent, a, b) end

---@class ZoneStridedOptions
---@field size? Size bytes that are moved in a zone before the next; it must be given
---@field range? Size length of a zone. Default: its size.
---@field skip? Size bytes between the end of a zone and the next. Default: 0.
---@field of? Pattern where operations go in the zone; with `sequential()`, from its start. Default: `random()`.

---Stays in a zone, then goes on to the next; after the last whole zone it goes back to the first.
---@param options ZoneStridedOptions
---@return Pattern
function zone_strided(options) end

---Zones: pairs of per cent of accesses and per cent of the region, or a size, in order: zoned{ {60, 10}, {30, "1GiB"} }. What they leave of
---the accesses goes to what they leave of the region.
---@param zones (number|string)[][]
---@return Pattern
function zoned(zones) end

---A hot spot at the start of the region: hotspot(90, 10) sends 90 % of accesses to 10 % of it.
---@param accesses number in per cent
---@param space number in per cent
---@return Pattern
function hotspot(accesses, space) end

---Each block exactly once per pass, in random order, with memory that does not grow with the file. Blocks of several sizes visit each
---byte once: the sizes must be multiples of the smallest, and some operations are made shorter to end where others began. In a
---mix without `passes`, reads and writes visit each block once between them.
---@return Pattern
function permute() end

---Runs: a new place is drawn from another pattern only for every so many operations; those between follow it
---without a gap, or go to the same place.
---@param of Pattern
---@param length integer operations in a run
---@param same? "same" all of a run go to one place
---@return Pattern
function runs(of, length, same) end

--#endregion
--#region chance

---A random integer from lo to hi, both included, from the client's own generator. With one argument: from 1 to it.
---@param lo integer
---@param hi? integer
---@return integer
function rand(lo, hi) end

---True with probability p.
---@param p number from 0 to 1
---@return boolean
function chance(p) end

---One of a list's values, each as likely as the others; or, from a table of weights, one of its keys: choose{ ["4KiB"] = 70, ["64KiB"] = 30 }.
---A table with a key 1 is a list.
---@generic T
---@param values T[]|table<T, number>
---@return T
function choose(values) end

--#endregion
--#region rates

---A rate that changes over the phase's time.
---@class RateCurve

---From one rate to another, in a straight line, then on at the second.
---@param from Rate
---@param to Rate
---@param over Duration
---@return RateCurve
function ramp(from, to, over) end

---@class BurstOptions
---@field base Rate between bursts
---@field peak Rate in a burst
---@field every Duration from one burst's start to the next's
---@field length Duration of a burst

---A base rate with bursts.
---@param options BurstOptions
---@return RateCurve
function burst(options) end

---Rates, each for a stretch of time, one after another: steps{ {"1k/s", "10s"}, {"20k/s", "5s"} }. The last goes on.
---@param list table[]
---@return RateCurve
function steps(list) end

--#endregion
--#region coupling

---A semaphore that clients share, on all threads: first come, first served. Units that clients hold when their phase ends
---do not come back: make one for each phase.
---@class Semaphore
local Semaphore = {}

---Makes a semaphore with n units. Default: 0.
---@param n? integer
---@return Semaphore
function semaphore(n) end

---Takes units, and waits until they are free. Only in a client.
---@param n? integer default: 1
function Semaphore:acquire(n) end

---Takes units if they are free, and does not wait.
---@param n? integer default: 1
---@return boolean taken
function Semaphore:try(n) end

---Gives units back.
---@param n? integer default: 1
function Semaphore:release(n) end

---How many units are free.
---@return integer
function Semaphore:value() end

---A flag that clients share, on all threads.
---@class Event
local Event = {}

---Makes an event that is not set.
---@return Event
function event() end

---Waits until the event is set. Only in a client.
function Event:wait() end

---Releases all clients that wait, and lets later ones pass.
function Event:set() end

---Releases the clients that wait now.
function Event:pulse() end

---Unsets the event: later clients wait again.
function Event:reset() end

---Whether the event is set.
---@return boolean
function Event:is_set() end

---An integer that clients share, on all threads.
---@class Counter
local Counter = {}

---Makes a counter. Default: 0.
---@param value? integer
---@return Counter
function counter(value) end

---Adds to it.
---@param n? integer default: 1
---@return integer value the sum
function Counter:add(n) end

---Its present value.
---@return integer
function Counter:get() end

---Replaces the value.
---@param value integer
function Counter:set(value) end

--#endregion
--#region results

---What a phase measured: its jobs by name. A name that no job has is an error.
---@class PhaseResult
---@field name string the phase's
---@field duration number measured time in seconds
---@field cpu CPUResult processor time that moonio used meanwhile, unless a job is named so
---@field steady SteadyResult whether it became steady, if it has the option `steady`
---@field [string] JobResult

---Processor time in seconds; 0 on an engine with a virtual clock.
---@class CPUResult
---@field user number in the program
---@field system number in the kernel

---Whether a phase became steady.
---@class SteadyResult
---@field metric "iops"|"bandwidth"|"latency"
---@field reached boolean
---@field value number over the last window, how far the furthest value was from the mean, or the slope; not a number if no window was filled
---@field limit number what it had to come down to, in the same unit: per cent of the mean, or the metric's
---@field window number in seconds

---What a job measured: its operations, "iteration" and its spans by name. An operation that never completed, or a span of the
---job's function that was never reached, has count 0, and no number for its latencies, so that no comparison with them holds.
---@class JobResult
---@field duration number measured time in seconds
---@field verify? VerifyResult what was verified, if anything was
---@field [string] OpResult

---What a job verified, in blocks.
---@class VerifyResult
---@field checked integer that were judged
---@field bytes integer in them
---@field mismatches integer that are not what was written
---@field unsettled integer that could not be judged, since they were being written
---@field unknown integer of which nothing is known

---Latencies are service times, from submission to completion, in seconds. The mean and the extremes are exact. A percentile is
---what so many do not exceed, at most a thousandth too long; one above an hour is the maximum.
---@class OpResult
---@field count integer operations that completed
---@field bytes integer that they moved
---@field errors integer operations that failed; they are neither counted nor timed
---@field short integer of those counted, operations that moved less than they were asked to
---@field iops number operations per second
---@field bandwidth number bytes per second
---@field min number the shortest
---@field mean number
---@field max number the longest
---@field stddev number standard deviation
---@field p50 number the median
---@field p90 number
---@field p95 number
---@field p99 number
---@field p999 number the 99.9th percentile
---@field p9999 number the 99.99th percentile
---@field response LatencyResult from the intended start to completion; of jobs with a rate, and of clients

---Latencies in seconds; of a job with a schedule from when an operation was due, of a client from when it asked.
---@class LatencyResult
---@field min number the shortest
---@field mean number
---@field max number the longest
---@field stddev number standard deviation
---@field p50 number the median
---@field p90 number
---@field p95 number
---@field p99 number
---@field p999 number the 99.9th percentile
---@field p9999 number the 99.99th percentile

---Puts results of operations together as one: counts and rates are sums, and latencies are those of all of them. Only at the top level.
---@param op OpResult
---@param ... OpResult
---@return OpResult
function combine(op, ...) end

---Any percentile of an operation's service times; not a number without a sample. Only at the top level.
---@param op OpResult
---@param p number from 0 to 100, such as 99.95
---@return number seconds
function percentile(op, p) end

---What an operation did in an interval of the time series. One in which nothing completed is all zeros.
---@class IntervalResult
---@field start number in seconds since the phase's measured start
---@field duration number in seconds; the last one's may be shorter
---@field iops number operations per second
---@field bandwidth number bytes per second
---@field p50 number service time in seconds, as are the next two
---@field p99 number
---@field max number

---An operation's figures interval by interval, as long as the phase's `interval` is. Only at the top level.
---@param op OpResult of one job
---@return IntervalResult[]
function series(op) end

---Where the run takes place. What is not known, or not there as on `sim`, is an empty text or 0.
---@class StorageInfo
---@field engine string that does the I/O, "io_uring"
---@field type string of the file system, "ext4"
---@field source string what is mounted, "/dev/nvme0n1p2"
---@field size integer of the file system in bytes
---@field memory integer of the machine in bytes

---Says where the run takes place. Only at the top level.
---@return StorageInfo
function storage() end

---States what must hold. One that does not is reported, and the run's exit code is 4. Only the top level can.
---@param condition any
---@param text? string what must hold; default: the source line
---@return boolean passed
function expect(condition, text) end

---Writes a line to standard error and into the result.
---@param ... any
function log(...) end

--#endregion
--#region units

---Milliseconds as seconds.
---@param n number
---@return number
function ms(n) end

---Microseconds as seconds.
---@param n number
---@return number
function us(n) end

---Seconds.
---@param n number
---@return number
function sec(n) end

---Kibibytes as bytes.
---@param n number
---@return integer
function KiB(n) end

---Mebibytes as bytes.
---@param n number
---@return integer
function MiB(n) end

---Gibibytes as bytes.
---@param n number
---@return integer
function GiB(n) end

---Reads a size: bytes("4KiB") is 4096.
---@param size Size
---@return integer
function bytes(size) end

---Reads a duration: seconds("1m") is 60.
---@param duration Duration
---@return number
function seconds(duration) end

---Writes a number of bytes for people: "4.00 KiB".
---@param n number
---@return string
function format_size(n) end

---Writes a duration in seconds for people: "1.50 ms".
---@param d number
---@return string
function format_duration(d) end

---Writes a number of operations per second for people: "20.0 k/s".
---@param n number
---@return string
function format_rate(n) end

---Writes a number of bytes per second for people: "800 MiB/s".
---@param n number
---@return string
function format_bandwidth(n) end

--#endregion
