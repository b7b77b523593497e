package fault

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]string{
		"read:errno=EIO,every=1000":                         "read:errno=EIO,every=1k",
		"fsync|fdatasync:delay=50ms,chance=1%":              "fsync|fdatasync:delay=50ms,chance=0.01",
		"write:short=512,nth=3":                             "write:short=512B,nth=3",
		"*:stall=2s,at=5s":                                  "",
		"*:stall=200ms,at=0,period=5s":                      "*:stall=200ms,at=0s,period=5s",
		"read:errno=eio,offset=1MiB..2MiB,file=data*":       "read:errno=EIO,file=data*,offset=1MiB..2MiB",
		" read | write : delay = 1ms , offset = 4KiB.. ":    "read|write:delay=1ms,offset=4KiB..",
		"trim|allocate|sync_range:delay=1s,offset=..1MiB":   "sync_range|trim|allocate:delay=1s,offset=0B..1MiB",
		"*:short=4k,offset=0..1GiB,after=10,times=1k":       "*:short=4KiB,offset=0B..1GiB,after=10,times=1k",
		"open|create|rename:errno=EOPNOTSUPP,file=log/*.db": "create|open|rename:errno=ENOTSUP,file=log/*.db",
		"nop:errno=EWOULDBLOCK,delay=1s,stall=2s":           "nop:errno=EAGAIN,delay=1s,stall=2s",
	} {
		if want == "" {
			want = s
		}
		r, err := Parse(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if got := r.String(); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const keys = "errno, delay, stall, short, at, period, file, offset, after, nth, every, times, chance"
	for s, want := range map[string]string{
		"":                                `write it like read:errno=EIO,every=1000, or with * for all operations`,
		"errno=EIO":                       `write it like read:errno=EIO,every=1000, or with * for all operations`,
		"raed:errno=EIO":                  `unknown operation "raed": use *, nop, read, write, append, fsync, fdatasync, sync_range, trim, allocate, truncate, create, open, close, rename, unlink, stat, mkdir, list (did you mean "read"?)`,
		"read:eror=EIO":                   `unknown key "eror": use ` + keys,
		"read:latency=5ms":                `unknown key "latency": use ` + keys + ` (did you mean "delay"?)`,
		"read:errn=EIO":                   `unknown key "errn": use ` + keys + ` (did you mean "errno"?)`,
		"read:errno":                      `errno has no value: write it as errno=VALUE`,
		"read:errno=EIOO":                 `errno: unknown error "EIOO": use a name such as EIO, ENOSPC or EAGAIN (did you mean "EIO"?)`,
		"read:errno=":                     `errno: unknown error "": use a name such as EIO, ENOSPC or EAGAIN`,
		"read:errno=EIO,errno=EIO":        `errno is given twice`,
		"read:delay=50 m s":               `delay: duration "50 m s" does not begin with a number: write it like "1.5s"`,
		"read:delay=0":                    `delay: it must be above 0`,
		"read:short=1q":                   `short: size "1q": unknown unit "q": use B, k, KiB, kB, M, MiB, MB, G, GiB, GB, T, TiB, TB, P, PiB, PB`,
		"read:delay=1s,nth=0":             `nth: it must be above 0`,
		"read:delay=1s,chance=2":          `chance: "2" is not above 0 and at most 1, or 100%`,
		"read:delay=1s,chance=0%":         `chance: "0%" is not above 0 and at most 1, or 100%`,
		"read:delay=1s,chance=x":          `chance: number "x" is not a number`,
		"read:delay=1s,file=[":            `file: "[" is not a pattern: write it like data* or log/[0-9]*`,
		"read:delay=1s,offset=1MiB":       `offset: "1MiB" is not a range: write it like 1MiB..2MiB, 1MiB.. or ..2MiB`,
		"read:delay=1s,offset=2MiB..1MiB": `offset: the range "2MiB..1MiB" is empty`,
		"read:every=3":                    `it injects nothing: give it errno, delay, stall or short`,
		"read:errno=EIO,short=1k":         `errno and short exclude each other: an operation that fails is not performed`,
		"read:errno=EIO,nth=1,every=2":    `nth and every exclude each other`,
		"read|fsync:short=1k":             `short is for read, write and append alone: fsync transfers nothing`,
		"fsync|read:delay=1s,offset=..1k": `offset: fsync has none`,
		"read:stall=1s,period=2s":         `period needs at, the time of the first stall`,
		"read:stall=2s,at=1s,period=1s":   `period must be longer than the stall`,
		"read:delay=1s,at=1s":             `at is the time of a stall, and there is none`,
		"read:stall=1s,at=1s,nth=3":       `at and nth exclude each other: a stall at a time is begun by the clock and not by an operation`,
		"read:stall=1s,at=1s,delay=1ms":   `at and delay exclude each other: a stall at a time is begun by the clock and not by an operation`,
	} {
		want = "fault \"" + s + "\": " + want
		if _, err := Parse(s); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", s, err, want)
		}
	}
}

// Whatever is accepted comes back from its own text.
func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]string{"*", "read", "read|write", "fsync", "trim|read"}).Draw(t, "operations")
		sep := ":"
		for range rapid.IntRange(1, 5).Draw(t, "keys") {
			s += sep + rapid.SampledFrom(keys).Draw(t, "key").name + "=" +
				rapid.SampledFrom([]string{"EIO", "1", "0.5", "3ms", "1h", "64KiB", "4097", "0..1k", "7..", "a*", "50%", "33.3%"}).Draw(t, "value")
			sep = ","
		}
		r, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(r.String())
		if err != nil || again.String() != r.String() {
			t.Fatalf("%q is %s, and then %v, %v", s, r, again, err)
		}
	})
}
