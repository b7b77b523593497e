package columns_test

import (
	"bufio"
	"bytes"
	"testing"

	"moonio/engine/trace"
	"moonio/engine/trace/columns"
	"moonio/engine/trace/tracetest"
)

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"128166372003061629,hm,0,Write,7014912,4096,26000\r\n",
		"1455592511.105829000,0.000152,W,4,20533248,16384\n",
		"7,W,25261650944,1536,1577808000000000\n",
		"1538323200,6160447,8,1,1283\n",
		"0,20941264,8192,W,0.551706\n",
		"89967404836 4892 syslogd 904265560 8 W 6 0 531e779\n",
		"0.0 0 350 16 1\n", "0.0 ; 49339162 ; 3 ; W ; 0.0\n",
		"9223372036854775807,R,9223372036854775807,9223372036854775807,9223372036854775807\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range columns.Formats {
			format.Sniff(data)
			o := &trace.Options{Args: map[string]string{"reads": "1"}}
			if format == columns.Columns {
				o.Args = map[string]string{"time": "1:filetime", "op": "2:R/W", "offset": "-1:sectors", "length": "3:bytes", "latency": "4:s"}
			}
			r, err := format.Open(&trace.Input{Reader: bufio.NewReader(bytes.NewReader(data)), Name: "fuzz"}, &trace.Log{}, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range tracetest.All(t, r) {
				if !trace.Fits(rec.Offset, rec.Length) || rec.Latency < trace.Unknown {
					t.Fatalf("%+v", rec)
				}
			}
		}
	})
}
