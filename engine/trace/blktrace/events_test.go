package blktrace_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

// event is one of a file that a test makes.
type event struct {
	seq    uint32
	time   uint64
	sector uint64
	bytes  uint32
	action uint64
	pid    uint32
	device uint32
	cpu    uint32
	pdu    []byte
}

// What happened, with the class that the kernel puts beside it, and kinds of I/O.
const (
	queued    = 1 | 0x10<<16
	split     = 13
	remap     = 15
	issued    = 7 | 0x40<<16
	completed = 8 | 0x80<<16
	process   = 0x400 << 16
	reads     = 1 << 16
	writes    = 2 << 16
	flushes   = 4 << 16
	commands  = 0x200 << 16
	inCgroup  = 1 << 8

	sda = 8 << 20
)

// encode writes events as the kernel would.
func encode(order binary.ByteOrder, version int, events ...event) []byte {
	var out bytes.Buffer
	for _, e := range events {
		put := func(v any) { binary.Write(&out, order, v) }
		put(uint32(0x65617400 | version))
		put(e.seq)
		put(e.time)
		put(e.sector)
		put(e.bytes)
		if version == 7 {
			put(uint32(e.action))
			put(e.pid)
		} else {
			put(e.pid)
			put(e.action)
		}
		put(e.device)
		put(e.cpu)
		put(uint16(0))
		put(uint16(len(e.pdu)))
		if version == 8 {
			out.Write(make([]byte, 12))
		}
		out.Write(e.pdu)
	}
	return out.Bytes()
}

// open opens files of events, named by their number.
func open(t testing.TB, args map[string]string, files ...[]byte) *format.Trace {
	t.Helper()
	tr, err := openFiles(t, args, files...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func openFiles(t testing.TB, args map[string]string, files ...[]byte) (*format.Trace, error) {
	t.Helper()
	dir := t.TempDir()
	for i, f := range files {
		if err := os.WriteFile(filepath.Join(dir, "sda.blktrace."+string(rune('0'+i))), f, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return format.Open([]string{filepath.Join(dir, "sda")}, &trace.Options{Args: args})
}

func be64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// TestOrders has the same events from machines of both byte orders, in both versions.
func TestOrders(t *testing.T) {
	events := []event{
		{time: 1, action: process, pid: 7, pdu: []byte("dd\x00\x00")},
		{seq: 1, time: 1000, sector: 8, bytes: 4096, action: queued | reads, pid: 7, device: sda},
		{seq: 2, time: 5000, sector: 8, bytes: 4096, action: completed | reads, pid: 0, device: sda},
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, version := range []int{7, 8} {
			tr := open(t, nil, encode(order, version, events...))
			if got := lines(t, tr, tr.Log); got != "1000 dd/7 sda read 4096+4096 flags 0 latency 4000\n" || tr.Log.Bad != 0 {
				t.Errorf("%v, version %d: %s%+v", order, version, got, tr.Log)
			}
		}
	}
}

// TestCPUs has an I/O's completion on another CPU, and a CPU with no events.
func TestCPUs(t *testing.T) {
	tr := open(t, nil,
		encode(binary.LittleEndian, 7, event{seq: 1, time: 10, sector: 1, bytes: 512, action: queued | writes, device: sda},
			event{seq: 2, time: 40, sector: 9, bytes: 512, action: queued | writes, device: sda}), nil,
		encode(binary.LittleEndian, 7, event{seq: 1, time: 20, sector: 5, bytes: 512, action: queued | writes, device: sda, cpu: 7},
			event{seq: 2, time: 30, sector: 1, bytes: 512, action: completed | writes, device: sda, cpu: 7},
			event{seq: 3, time: 50, sector: 9, bytes: 512, action: completed | writes, device: sda, cpu: 7}))
	want := "10 0 sda write 512+512 flags 0 latency 20\n20 0 sda write 2560+512 flags 0 latency -1\n40 0 sda write 4608+512 flags 0 latency 10\n"
	if got := lines(t, tr, tr.Log); got != want || tr.Log.Lost != 0 {
		t.Errorf("%s%+v", got, tr.Log)
	}
}

// TestSplitAndMerged has one I/O that is completed in two parts, the second first, and two that
// are completed as one.
func TestSplitAndMerged(t *testing.T) {
	tr := open(t, nil, encode(binary.LittleEndian, 7,
		event{time: 10, sector: 100, bytes: 8192, action: queued | reads, device: sda},
		event{time: 11, sector: 100, bytes: 4096, action: split | reads, device: sda, pdu: be64(108)},
		event{time: 20, sector: 200, bytes: 4096, action: queued | reads, device: sda},
		event{time: 21, sector: 208, bytes: 4096, action: queued | reads, device: sda},
		event{time: 30, sector: 108, bytes: 4096, action: completed | reads, device: sda},
		event{time: 40, sector: 200, bytes: 8192, action: completed | reads, device: sda},
		event{time: 50, sector: 100, bytes: 4096, action: completed | reads, device: sda},
	))
	want := "10 0 sda read 51200+8192 flags 0 latency 40\n20 0 sda read 102400+4096 flags 0 latency 20\n21 0 sda read 106496+4096 flags 0 latency 19\n"
	if got := lines(t, tr, tr.Log); got != want {
		t.Error(got)
	}
}

// TestPartsWithoutSplit has a request that completes in parts nobody announced.
func TestPartsWithoutSplit(t *testing.T) {
	tr := open(t, map[string]string{"event": "D"}, encode(binary.LittleEndian, 7,
		event{time: 10, sector: 100, bytes: 8192, action: issued | writes, device: sda},
		event{time: 30, sector: 100, bytes: 4096, action: completed | writes, device: sda},
		event{time: 50, sector: 108, bytes: 4096, action: completed | writes, device: sda},
	))
	if got := lines(t, tr, tr.Log); got != "10 0 sda write 51200+8192 flags 0 latency 40\n" {
		t.Error(got)
	}
}

// TestLostCompletion does not take a later I/O's completion for that of an earlier one.
func TestLostCompletion(t *testing.T) {
	tr := open(t, nil, encode(binary.LittleEndian, 7,
		event{time: 10, sector: 8, bytes: 512, action: queued | reads, device: sda},
		event{time: 90, sector: 8, bytes: 512, action: queued | reads, device: sda},
		event{time: 95, sector: 8, bytes: 512, action: completed | reads, device: sda},
	))
	if got := lines(t, tr, tr.Log); got != "10 0 sda read 4096+512 flags 0 latency -1\n90 0 sda read 4096+512 flags 0 latency 5\n" {
		t.Error(got)
	}
}

// TestFlushCompletions ignores the end of the flush before a write, which has no sector.
func TestFlushCompletions(t *testing.T) {
	events := encode(binary.LittleEndian, 7,
		event{time: 10, action: queued | writes | flushes, device: sda},
		event{time: 11, action: issued | flushes, device: sda},
		event{time: 20, sector: math.MaxUint64, action: completed | flushes, device: sda},
		event{time: 30, action: completed | writes | flushes, device: sda},
	)
	for event, want := range map[string]string{"Q": "10 0 sda fsync 0+0 flags 0 latency 20\n", "D": "11 0 sda fsync 0+0 flags 0 latency 9\n"} {
		tr := open(t, map[string]string{"event": event}, events)
		if got := lines(t, tr, tr.Log); got != want {
			t.Errorf("%s: %s", event, got)
		}
	}
}

func TestLost(t *testing.T) {
	var file []event
	for i, seq := range []uint32{math.MaxUint32 - 1, math.MaxUint32, 0, 5, 3, 6} { // 1, 2 and 4 are missing
		file = append(file, event{seq: seq, time: uint64(i), bytes: 512, action: queued | reads, device: sda})
	}
	file = append(file, event{seq: 0, time: 9, action: process, pid: 1, pdu: []byte("x")})
	tr := open(t, nil, encode(binary.LittleEndian, 7, file...))
	lines(t, tr, tr.Log)
	if tr.Log.Lost != 3 || tr.Log.Records != 6 {
		t.Errorf("%+v", tr.Log)
	}
}

// TestStacked has a volume on a disk: each I/O is there twice, and one device can be chosen.
func TestStacked(t *testing.T) {
	const dm0 = 253 << 20
	from := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, dm0), sda)
	file := encode(binary.LittleEndian, 7,
		event{time: 10, sector: 8, bytes: 512, action: queued | reads, device: dm0},
		event{time: 12, sector: 1032, bytes: 512, action: queued | reads, device: sda},
		event{time: 11, sector: 1032, bytes: 512, action: remap | reads | inCgroup, device: sda, pdu: append(be64(99), append(from, be64(8)...)...)},
	)
	tr := open(t, nil, file)
	got := lines(t, tr, tr.Log)
	if strings.Count(got, "\n") != 2 || len(tr.Log.Notes) != 1 || !strings.HasPrefix(tr.Log.Notes[0], "sda stands on 8,0, so") {
		t.Errorf("%s%q", got, tr.Log.Notes)
	}
	for device, want := range map[string]string{"253:0": "10 0 sda read 4096+512 flags 0 latency -1\n", "sda": "10 0 sda read 4096+512 flags 0 latency -1\n", "8:0": "12 0 8,0 read 528384+512 flags 0 latency -1\n"} {
		tr := open(t, map[string]string{"device": device}, file)
		if got := lines(t, tr, tr.Log); got != want || tr.Log.Skipped["of another device"] != 1 {
			t.Errorf("device=%s: %s%+v", device, got, tr.Log)
		}
	}
}

func TestSkipped(t *testing.T) {
	tr := open(t, nil, encode(binary.LittleEndian, 8,
		event{time: 1, bytes: 36, action: queued | reads | commands, device: sda},
		event{time: 2, action: queued | writes, device: sda},
		event{time: 3, sector: 16, bytes: 4096, action: queued | 1<<32, device: sda}, // appends to a zone
		event{time: 4, sector: 16, action: queued | 1<<33, device: sda},              // resets one
		event{time: 5, sector: 1 << 60, bytes: 512, action: queued | writes, device: sda},
		event{time: 6, sector: 1, bytes: 512, action: queued | writes | inCgroup, device: sda, pdu: be64(4711)},
	))
	want := "3 0 sda write 8192+4096 flags 0 latency -1\n6 0 sda write 512+512 flags 0 latency -1\n"
	if got := lines(t, tr, tr.Log); got != want || tr.Log.Bad != 1 || len(tr.Log.Skipped) != 2 || tr.Log.Skipped["no data and no flush"] != 1 {
		t.Errorf("%s%+v", got, tr.Log)
	}
}

// TestGarbled has bytes between events, a lying length, and an end in the middle of an event.
func TestGarbled(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		one := func(i uint64) []byte {
			return encode(order, 7, event{seq: uint32(i), time: i, sector: i, bytes: 512, action: queued | reads, device: sda})
		}
		liar := one(3)
		order.PutUint16(liar[46:], 60000)
		file := bytes.Join([][]byte{one(1), []byte("garbage \x07tae that is eat none"), one(2), liar, one(4), one(5)[:30]}, nil)
		tr := open(t, nil, file)
		got := lines(t, tr, tr.Log)
		if strings.Count(got, "\n") != 3 || tr.Log.Bad == 0 || tr.Log.Bad > 5 {
			t.Errorf("%v: %s%+v", order, got, tr.Log)
		}
		last := tr.Log.First[len(tr.Log.First)-1]
		if last.Why != "the last event is cut off after 30 bytes" {
			t.Errorf("%v: %+v", order, last)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	future := encode(binary.LittleEndian, 9, event{})
	issues := encode(binary.LittleEndian, 7, event{bytes: 512, action: issued | reads, device: sda})
	for _, c := range []struct {
		args map[string]string
		file []byte
		want string
	}{
		{nil, future, "header: version 9 of blktrace's files is not known; 7 and 8 are"},
		{map[string]string{"event": "C"}, issues, `option event: "C" is neither Q nor D`},
		{map[string]string{"evnt": "D"}, issues, `trace format blktrace: it has no option "evnt" (did you mean "event"?); it has event, device`},
		{nil, issues, "the trace has no Q events and 1 D events: say event=D"},
	} {
		tr, err := openFiles(t, c.args, c.file)
		if err == nil {
			err = tr.Read(&trace.Record{})
			tr.Close()
		}
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
}

// generator gives an endless file: each I/O is queued, issued and completed.
type generator struct {
	event [3]event
	room  []byte
	buf   []byte
	left  int64
}

func (g *generator) Read(p []byte) (int, error) {
	if len(g.buf) == 0 {
		if g.left == 0 {
			return 0, io.EOF
		}
		g.left--
		for i := range g.event {
			g.event[i].seq += 3
			g.event[i].time += 1000
			g.event[i].sector = (g.event[i].sector + 7919*8) % (1 << 31)
		}
		g.room = encodeFast(g.room, g.event[:])
		g.buf = g.room
	}
	n := copy(p, g.buf)
	g.buf = g.buf[n:]
	return n, nil
}

// encodeFast is encode for version 7, without allocating.
func encodeFast(b []byte, events []event) []byte {
	b = b[:0]
	le := binary.LittleEndian
	for _, e := range events {
		b = le.AppendUint32(b, 0x65617407)
		b = le.AppendUint32(b, e.seq)
		b = le.AppendUint64(b, e.time)
		b = le.AppendUint64(b, e.sector)
		b = le.AppendUint32(b, e.bytes)
		b = le.AppendUint32(b, uint32(e.action))
		b = le.AppendUint32(b, e.pid)
		b = le.AppendUint32(b, e.device)
		b = le.AppendUint32(b, e.cpu)
		b = le.AppendUint32(b, 0)
	}
	return b
}

func generate(n int64) io.Reader {
	g := &generator{left: n}
	for i, action := range []uint64{queued, issued, completed} {
		g.event[i] = event{seq: uint32(i), time: uint64(i * 200), sector: 64, bytes: 4096, action: action | writes, pid: 42, device: sda}
	}
	return g
}

func stream(t testing.TB, n int64) *format.Trace {
	tr, err := format.Open([]string{"-"}, &trace.Options{Stdin: generate(n)})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestNoAllocations(t *testing.T) {
	tr := stream(t, 1<<40)
	tracetest.NoAllocations(t, tr)
	var rec trace.Record
	if err := tr.Read(&rec); err != nil {
		t.Fatal(err)
	}
	if rec.Latency != 400 {
		t.Error(rec)
	}
}

func TestBoundedMemory(t *testing.T) { tracetest.Bounded(t, stream(t, 1<<40), 150_000) }

func BenchmarkRead(b *testing.B) { tracetest.Benchmark(b, stream(b, 1<<40)) }

func FuzzRead(f *testing.F) {
	for _, name := range []string{"blktrace/sdb.blktrace.0", "blktrace/sdb_v8.blktrace.0"} {
		b, err := os.ReadFile(tracetest.Path(name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(encode(binary.BigEndian, 7, event{bytes: 8192, action: queued | reads}, event{action: split | reads, pdu: be64(8)}, event{bytes: 4096, action: completed | reads}))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, event := range []string{"Q", "D"} {
			tracetest.Survives(t, &trace.Options{Format: "blktrace", Args: map[string]string{"event": event}}, b)
		}
	})
}
