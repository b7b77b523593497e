package columns_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/engine/trace/tracetest"
)

func TestSameStream(t *testing.T) {
	for _, c := range []struct {
		name       string
		resolution int64
		latency    int64
		file       string
	}{
		{"same_stream/mssql_0.msr.csv.gz", 100, 1e6, "mssql_0"},
		{"same_stream/io_traces.alibaba.csv.zst", 1000, trace.Unknown, "7"},
		{"same_stream/mssql.spc.gz", 1000, trace.Unknown, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := tracetest.Open(t, nil, c.name)
			got := tracetest.All(t, tr)
			tracetest.SameStream(t, got, c.resolution)
			for i, r := range got {
				if r.Latency != c.latency || r.File != 0 || r.Stream != 0 {
					t.Fatalf("record %d is %+v", i, r)
				}
			}
			if tr.Log.Files.Name(0) != c.file || tr.Log.Bad != 0 || tr.Log.Records != 2000 {
				t.Errorf("log is %+v", tr.Log)
			}
		})
	}
}

func TestQuirks(t *testing.T) {
	tr := tracetest.Open(t, nil, "quirks/msr_header_crlf_mixedvol_outoforder.csv")
	got := tracetest.All(t, tr)
	// The first is 12816637200306162900 ns after 1601, which was 11644473600 s before 1970.
	want := []trace.Record{
		{Time: 1172163600306162900, Offset: 7014912, Length: 4096, Latency: 2600000, Op: engine.Write},
		{Time: 1172163600900000000, Offset: 1074696192, Length: 512, Latency: 11300, Op: engine.Read, File: 2, Stream: 2},
		{Time: 1172163601638215500, Offset: 1074696192, Length: 4096, Latency: 113000, Op: engine.Read, File: 0, Stream: 0},
		{Time: 1172163603638215500, Offset: 1074696192, Length: 1024, Latency: 11300, Op: engine.Read, File: 2, Stream: 2},
		{Time: 1172163603638215500, Offset: 1074696193, Length: 1536, Latency: 0, Op: engine.Read, File: 2, Stream: 2},
	}
	want[1].File, want[1].Stream = 1, 1
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !tr.Log.Epoch.Equal(time.Unix(0, 0)) || tr.Log.Disorder != 0 || tr.Log.Skipped["headers"] != 1 || tr.Log.Bad != 0 {
		t.Errorf("log is %+v", tr.Log)
	}
}

// read reads a trace that is text.
func read(t *testing.T, o trace.Options, text string) ([]trace.Record, *trace.Log, error) {
	t.Helper()
	o.Stdin = strings.NewReader(text)
	tr, err := format.Open([]string{"-"}, &o)
	if err != nil {
		return nil, nil, err
	}
	defer tr.Close()
	var out []trace.Record
	for {
		var r trace.Record
		if err := tr.Read(&r); err == io.EOF {
			return out, tr.Log, nil
		} else if err != nil {
			return out, tr.Log, err
		}
		out = append(out, r)
	}
}

// rec is a record without a latency.
func rec(time int64, op engine.OpCode, offset, length int64) trace.Record {
	return trace.Record{Time: time, Op: op, Offset: offset, Length: length, Latency: trace.Unknown}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []trace.Record
		files      []string
		skipped    map[string]int64
	}{
		{"systor17", "Timestamp,Response,IOType,LUN,Offset,Size\n" +
			"1455592511.105829000,0.000152,W,4,20533248,16384\n1455592511.205829000,0.000353,R,4,0,512\n1455592511.3,,,4,512,512\n",
			[]trace.Record{
				{Time: 1455592511105829000, Latency: 152000, Op: engine.Write, Offset: 20533248, Length: 16384},
				{Time: 1455592511205829000, Latency: 353000, Op: engine.Read, Length: 512},
			}, []string{"4"}, map[string]int64{"headers": 1, "I/Os of no type, whose response was not captured": 1}},
		{"tencent", "1538323200,6160447,8,1,1283\n1538323200,2006,24,0,1360\n",
			[]trace.Record{rec(1538323200e9, engine.Write, 6160447*512, 4096), with(rec(1538323200e9, engine.Read, 2006*512, 24*512), 1)},
			[]string{"1283", "1360"}, nil},
		{"spc", "0, 20941264, 8192, W, 0.551706, 7, x\n1,5,512,r,0.554041\r\n",
			[]trace.Record{rec(551706000, engine.Write, 20941264*512, 8192), with(rec(554041000, engine.Read, 2560, 512), 1)},
			[]string{"0", "1"}, nil},
		{"k5cloud", "9,1533092400.000217,R,8192,4096\n9,1533092400.5,w,0,512\n",
			[]trace.Record{rec(1533092400000217000, engine.Read, 8192, 4096), rec(1533092400500000000, engine.Write, 0, 512)},
			[]string{"9"}, nil},
		{"fiu", "89967404836 4892 syslogd 904265560 8 W 6 0 531e779\n89967420000 22 my app 8 8 R 6 0 aa\n",
			[]trace.Record{rec(89967404836, engine.Write, 904265560*512, 4096), stream(rec(89967420000, engine.Read, 4096, 4096), 1)},
			[]string{"6,0"}, nil},
		{"blkreplay", "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n" +
			"0.000000000 ; 49339162 ; 3 ; W ; 0.0 ; 0.0\n0.300422537 ; 1 ;  8 ;R ; 0.000000000 ; 0.000000000\n",
			[]trace.Record{rec(0, engine.Write, 49339162*512, 1536), rec(300422537, engine.Read, 512, 4096)},
			[]string{"device"}, map[string]int64{"headers": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := format.Sniff([]byte(c.text)); f == nil || f.Name != c.name {
				t.Fatalf("taken for %v", f)
			}
			got, log, err := read(t, trace.Options{}, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			var files []string
			for i := range log.Files.Len() {
				files = append(files, log.Files.Name(trace.ID(i)))
			}
			if d := cmp.Diff(c.files, files) + cmp.Diff(c.skipped, log.Skipped); d != "" || log.Bad != 0 {
				t.Errorf("%s, bad: %v", d, log.First)
			}
		})
	}
}

func with(r trace.Record, file trace.ID) trace.Record {
	r.File, r.Stream = file, file
	return r
}

func stream(r trace.Record, stream trace.ID) trace.Record {
	r.Stream = stream
	return r
}

func TestDiskSim(t *testing.T) {
	const text = "0.000000 0 350 16 1\n12.500000 1 8 8 0\n"
	if _, _, err := read(t, trace.Options{}, text); err == nil || !strings.Contains(err.Error(), "say reads=1 or reads=0") {
		t.Errorf("the polarity was guessed: %v", err)
	}
	got, log, err := read(t, trace.Options{Args: map[string]string{"reads": "1"}}, text)
	want := []trace.Record{rec(0, engine.Read, 350*512, 8192), with(rec(12500000, engine.Write, 4096, 4096), 1)}
	if d := cmp.Diff(want, got); d != "" || err != nil || len(log.Notes) != 1 || !strings.Contains(log.Notes[0], "milliseconds") {
		t.Error(d, err, log)
	}
	got, _, err = read(t, trace.Options{Args: map[string]string{"reads": "0", "time": "us"}}, text)
	want = []trace.Record{rec(0, engine.Write, 350*512, 8192), with(rec(12500, engine.Read, 4096, 4096), 1)}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestColumns(t *testing.T) {
	o, err := format.Parse("columns:time=1:us,op=2:R|28/W|2a/D/F,offset=4:sectors,length=5:bytes,stream=3,header=1,latency=-1:ms,separator=,")
	if err != nil {
		t.Fatal(err)
	}
	got, log, err := read(t, *o, "7,R,x,0,512,1\n10, 2A, app ,8,4096,0.5\n11,r,app,16,512,1\n12,d,app,32,8192,x\n13,f,b,0,0,2\n14,q,b,0,0,2\n15,R,b,-1,1,1\n16,R,b,18014398509481983,1024,1\n")
	want := []trace.Record{
		{Time: 10000, Op: engine.Write, Offset: 4096, Length: 4096, Latency: 500000},
		{Time: 11000, Op: engine.Read, Offset: 8192, Length: 512, Latency: 1000000},
		{Time: 13000, Op: engine.Fsync, Latency: 2000000, Stream: 1},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Fatal(d, err)
	}
	var why []string
	for _, b := range log.First {
		why = append(why, b.Why)
	}
	if d := cmp.Diff([]string{"column latency: not a duration", "column op: not an operation", "column offset: not an address from 0 to 2^63-1",
		"column length: address and length reach beyond 2^63-1"}, why); d != "" {
		t.Error(d)
	}
}

func TestSeparators(t *testing.T) {
	for separator, text := range map[string]string{
		"tab": "1\tR\t2\t3\tv\n", "semicolon": "1 ; R; 2;3 ;v\n", "space": " 1  R\t2 3 v \n", "pipe": "1|R|2|3|v\n", ":": "1:R:2:3:v\n", "comma": "1,R,2,3,v\n",
	} {
		o := trace.Options{Format: "columns", Args: map[string]string{"separator": separator, "time": "1:s", "op": "2:R/W", "offset": "3:pages", "length": "4:1000", "file": "5"}}
		got, log, err := read(t, o, "# a comment\n\n"+text)
		if d := cmp.Diff([]trace.Record{rec(1e9, engine.Read, 8192, 3000)}, got); d != "" || err != nil || log.Files.Name(0) != "v" || log.Skipped["empty lines and comments"] != 2 {
			t.Error(separator, d, err, log)
		}
	}
}

func TestColumnsErrors(t *testing.T) {
	const rest = "time=1:us,op=2:R/W,offset=3:bytes,length=4:bytes"
	for args, want := range map[string]string{
		"op=2:R/W":                           "column time is missing: say where it is, such as time=1:us",
		"time=1:us,op=2:R/W,length=4:bytes":  "column offset is missing: say where it is, such as offset=3:bytes",
		"time=x:us":                          `time=x:us: "x" is no column's number, and none that the first line names: it has "1, r, 0, 512"`,
		"time=1":                             "time=1: unit is missing: say one of ns, us, ms, s, filetime, or a duration, after a colon",
		"time=1:usec":                        `time=1:usec: unit "usec" is none of ns, us, ms, s, filetime, nor a duration such as 100ns`,
		"time=1:us,op=2:R":                   "op=2:R: say the codes of reads and of writes, such as 2:R/W",
		"time=1:us,op=2:R/r":                 `op=2:R/r: code "r": a code is not empty, and stands for one operation`,
		"time=1:us,op=2:R/W,offset=3:sector": `offset=3:sector: unit "sector" is none of bytes, sectors, KiB, pages, nor a number of bytes (did you mean "sectors"?)`,
		rest + ",separator=ab":               "separator=ab: not one character, nor comma, tab, semicolon, pipe or space",
		rest + ",header=x":                   "header=x: not 0 or 1",
		rest + ",stream=3:x":                 `stream=3:x: "x" after the column's number`,
		"time=1:us,op=33:R/W":                `op=33:R/W: "33" is no column: they count from 1 to 32, and from the end from -1`,
	} {
		o, err := format.Parse("columns:" + args)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = read(t, *o, "1,R,0,512\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", args, err, want)
		}
	}
}

// TestVariations has what spreadsheets, databases and people make of a table: each is the same two I/Os.
func TestVariations(t *testing.T) {
	const alibaba = "7,R,8192,4096,1000001\n\"8\",W,0,512,1000002\n"
	want := []trace.Record{rec(1000001000, engine.Read, 8192, 4096), with(rec(1000002000, engine.Write, 0, 512), 1)}
	for name, text := range map[string]string{
		"quoted":                 "\"7\",\"R\",\"8192\",\"4096\",\"1000001\"\r\n \"8\" , \"W\" ,0,512,1000002\r\n",
		"quoted header":          "\"device_id\",\"opcode\",\"offset\",\"length\",\"timestamp\"\n" + alibaba,
		"header behind comments": "# made by hand\n\n#\ndevice_id,opcode,offset,length,timestamp\n" + alibaba,
		"separators at the end":  "7,R,8192,4096,1000001,\n8,W,0,512,1000002,\n",
		"more columns":           "device,opcode,offset,length,timestamp,pool,\"a, b\"\n7,R,8192,4096,1000001,p,\"x,y\"\n8,W,0,512,1000002,,\"\"\n",
		"byte order mark":        "\ufeff" + alibaba,
		"fractions of zeros":     "7,R,8192.0,4096.00,1000001.0\n8,W,0.0,512.0,1000002.0\n",
	} {
		got, log, err := read(t, trace.Options{}, text)
		if d := cmp.Diff(want, got); d != "" || err != nil || log.Bad != 0 {
			t.Errorf("%s: %s %v %+v", name, d, err, log)
		} else if log.Files.Name(0) != "7" || log.Files.Name(1) != "8" {
			t.Errorf("%s: files are %q and %q", name, log.Files.Name(0), log.Files.Name(1))
		}
	}
}

// TestMoreColumns sees that what has too many columns is not taken for something by numbers alone, and
// that a table keeps to the number that it begins with.
func TestMoreColumns(t *testing.T) {
	if f := format.Sniff([]byte("1538323200,6160447,8,1,1283,5\n")); f != nil {
		t.Errorf("six numbers are taken for %s", f.Name)
	}
	got, _, err := read(t, trace.Options{Format: "tencent"}, "1538323200,6160447,8,1,1283,5\n")
	if err != nil || len(got) != 1 || got[0].Length != 4096 {
		t.Errorf("%v %v", got, err)
	}
	_, log, err := read(t, trace.Options{}, strings.Repeat("7,R,0,512,1,x\n", 20)+"7,R,0,512,1\n7,R,0,512,7,R,0,512,1,x\n")
	if err != nil || log.Bad != 2 || log.Records != 20 {
		t.Errorf("%v %+v", err, log)
	}
}

// TestFractions of bytes are no addresses.
func TestFractions(t *testing.T) {
	_, log, err := read(t, trace.Options{Format: "alibaba"}, strings.Repeat("7,R,0,512,1\n", 500)+"7,R,0.5,512,1\n7,R,0,512.,1\n7,R,.0,512,1\n7,R,-1.0,512,1\n")
	if err != nil || log.Bad != 4 || log.Records != 500 {
		t.Errorf("%v %+v", err, log)
	}
}

func TestQuotes(t *testing.T) {
	for in, want := range map[string]string{
		`"a,b",1`: "a,b", `" a ",1`: "a", `"say ""hi""",1`: `say "hi"`, `"open,1`: `"open`, `a"b",1`: `a"b"`, `"a"b,1`: `"a"b`, `"",1`: "",
	} {
		o := trace.Options{Format: "columns", Args: map[string]string{"time": "-1:s", "op": "-2:R/W", "offset": "-3:bytes", "length": "-4:bytes", "file": "1"}}
		got, log, err := read(t, o, in+",1,0,R,3\n")
		if err != nil || len(got) != 1 || log.Files.Name(0) != want {
			t.Errorf("%s: %v %+v", in, err, log)
		}
	}
}

// TestNamedColumns are found in the first line, wherever they stand.
func TestNamedColumns(t *testing.T) {
	const text = "# of Tuesday\nLength;\"Op code\";Where;When;Queue\n8;rd;2;5;0.5\n8;wr;3;6;\n"
	o := trace.Options{Format: "columns", Args: map[string]string{"separator": "semicolon",
		"time": "when:4ms", "op": "op code:rd/wr", "offset": "WHERE:pages", "length": "length:sectors", "latency": "queue:100ns"}}
	got, log, err := read(t, o, text)
	want := []trace.Record{
		{Time: 20e6, Op: engine.Read, Offset: 8192, Length: 4096, Latency: 50},
		{Time: 24e6, Op: engine.Write, Offset: 12288, Length: 4096, Latency: trace.Unknown},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil || log.Skipped["headers"] != 1 {
		t.Error(d, err, log)
	}
	o.Args["time"] = "whem:us"
	if _, _, err = read(t, o, text); err == nil || !strings.Contains(err.Error(), `"whem" is no column's number, and none that the first line names (did you mean "when"?): it has "length, op code, where, when, queue"`) {
		t.Error(err)
	}
}

// TestCutOff has traces that end within the time of their last line, and one that only lacks the line's end.
func TestCutOff(t *testing.T) {
	const whole = "1,R,0,4096,1577808000000000\n1,R,4096,4096,1577808000000100\n"
	for text, bad := range map[string]int64{
		whole + "1,R,8192,4096,15778":            1,
		whole + "1,R,8192,4096,1577808000000050": 0,
	} {
		got, log, err := read(t, trace.Options{}, text)
		if err != nil || log.Bad != bad || int64(len(got)) != 3-bad {
			t.Errorf("%q: %d records, %d bad, %v", text, len(got), log.Bad, err)
		}
	}
}

func TestOutOfOrder(t *testing.T) {
	got, log, err := read(t, trace.Options{}, "0,1,512,R,0.3\n0,2,512,R,0.1\n0,3,512,R,0.2\n")
	if err != nil || len(got) != 3 || got[0].Offset != 1024 || got[1].Offset != 1536 || got[2].Offset != 512 || log.Disorder != 0 {
		t.Errorf("%v %v %+v", got, err, log)
	}
}
