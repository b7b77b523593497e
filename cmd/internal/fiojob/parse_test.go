package fiojob

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// files are job files by name.
type files map[string]string

func (f files) sources() Sources {
	return Sources{
		Stdin: strings.NewReader(f["-"]),
		Open: func(name string) (io.ReadCloser, error) {
			text, ok := f[name]
			if !ok {
				return nil, &os.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
		Env:  func(name string) string { return map[string]string{"SIZE": "1m", "DIR": "/data"}[name] },
		CPUs: 4, Page: 4096, Memory: 8 << 30,
	}
}

// show writes what was parsed, one job a line.
func show(c *Command) string {
	var b strings.Builder
	for _, o := range c.Options {
		fmt.Fprintf(&b, "%s ", o)
	}
	if len(c.Options) > 0 {
		b.WriteByte('\n')
	}
	for _, j := range c.Jobs {
		fmt.Fprintf(&b, "%s.%d group %d stage %d", j.Name, j.Clone, j.Group, j.Stage)
		if j.After != "" {
			fmt.Fprintf(&b, " after %s", j.After)
		}
		b.WriteByte(':')
		for _, o := range j.All {
			fmt.Fprintf(&b, " %s", o)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  string
		files files
		want  string
	}{
		{"command line", "-bs=8k --name=a -rw read --size 1g --name b --direct=1 --thread --runtime=5", nil, `
a.0 group 0 stage 0: bs=8k name=a rw=read size=1g
b.0 group 0 stage 0: bs=8k name=b direct=1 thread runtime=5
`},
		{"aliases", "--name=a --readwrite=read --blocksize=4k --timeout=3 --iodepth_batch_complete=2", nil, `
a.0 group 0 stage 0: name=a rw=read bs=4k runtime=3 iodepth_batch_complete_min=2
`},
		{"general options anywhere", "--output-format=json,normal --name=a --size=1m --eta never --minimal --overwrite data.db --overwrite=1", nil, `
output-format=json,normal eta=never minimal overwrite=data.db 
a.0 group 0 stage 0: name=a size=1m overwrite=1
`},
		{"inheritance", "j.fio", files{"j.fio": `
; a comment
  # another
[global]
size = 8k   ; trailing
rw=read# trailing
[a]
bs=1k
[global]
rw=write
[globalish]
bs=2k
[b]
bs=4k
`}, `
a.0 group 0 stage 0: size=8k rw=read bs=1k
b.0 group 0 stage 0: size=8k rw=read rw=write bs=2k bs=4k
`},
		{"groups and stages", "j.fio", files{"j.fio": `
[a]
[b]
stonewall
[c]
numjobs=2
[d]
new_group
numjobs=2
[e]
wait_for_previous
`}, `
a.0 group 0 stage 0:
b.0 group 1 stage 1: stonewall
c.0 group 1 stage 1: numjobs=2
c.1 group 1 stage 1: numjobs=2
d.0 group 2 stage 1: new_group numjobs=2
d.1 group 2 stage 1: new_group numjobs=2
e.0 group 3 stage 2: stonewall
`},
		{"abbreviations", "--nam=a --siz 1m --readw=read --output-form=json -numj=2 --group --hipri_p=5 --blockal=4k", nil, `
output-format=json 
a.0 group 0 stage 0: name=a size=1m rw=read numjobs=2 group_reporting hipri_percentage=5 ba=4k
a.1 group 0 stage 0: name=a size=1m rw=read numjobs=2 group_reporting hipri_percentage=5 ba=4k
`},
		{"jobs that wait for one", "j.fio", files{"j.fio": "[a]\nnumjobs=2\n[b]\nwait_for=a\n[c]\nwait_for=a\n[d]\nstonewall\n[e]\nwait_for=b\n"}, `
a.0 group 0 stage 0: numjobs=2
a.1 group 0 stage 0: numjobs=2
b.0 group 0 stage 1: wait_for=a
c.0 group 0 stage 1: wait_for=a
d.0 group 1 stage 2: stonewall
e.0 group 1 stage 2: wait_for=b
`},
		{"each file has globals of its own", "--bs=2k one.fio two.fio", files{"one.fio": "[global]\nrw=write\n[a]\n", "two.fio": "[b]\n[global]\nrw=trim\n[c]\n"}, `
a.0 group 0 stage 0: bs=2k rw=write
b.0 group 1 stage 1: bs=2k
c.0 group 1 stage 1: bs=2k rw=trim
`},
		{"two files", "--bs=2k one.fio --name=x two.fio", files{"one.fio": "[a]\nsize=1m", "two.fio": "[b]\n[c]\n"}, `
x.0 group 0 stage 0: bs=2k name=x
a.0 group 0 stage 0: bs=2k size=1m
b.0 group 1 stage 1: bs=2k
c.0 group 1 stage 1: bs=2k
`},
		{"sections of the command line", "--section=b --name=a --bs=1k --name=b --bs=2k", nil, `
section=b 
b.0 group 0 stage 0: name=b bs=2k
`},
		{"sections", "j.fio --section=b --section=c", files{"j.fio": "[global]\nbs=1k\n[a]\n[b]\n[c]\n"}, `
section=b section=c 
b.0 group 0 stage 0: bs=1k
c.0 group 0 stage 0: bs=1k
`},
		{"standard input and includes", "-", files{"-": "[a]\ninclude more.inc\nrw=write\n", "more.inc": "bs=1k\n# nothing\n"}, `
a.0 group 0 stage 0: bs=1k rw=write
`},
		{"includes beside the file", "dir/j.fio", files{"dir/j.fio": "[a]\ninclude more.inc\n", "dir/more.inc": "bs=1k\n"}, `
a.0 group 0 stage 0: bs=1k
`},
		{"variables", "j.fio", files{"j.fio": `
[a]
size=${SIZE}
directory=${DIR}/x${NONE}
numjobs=$ncpus
bs=2*$pagesize
io_size=$mb_memoryk
filesize=10*1000*$mb_memory
runtime=2*$ncpus
`}, `
a.0 group 0 stage 0: size=1m directory=/data/x numjobs=4 bs=8192 io_size=8192k filesize=81920000 runtime=8
a.1 group 0 stage 0: size=1m directory=/data/x numjobs=4 bs=8192 io_size=8192k filesize=81920000 runtime=8
a.2 group 0 stage 0: size=1m directory=/data/x numjobs=4 bs=8192 io_size=8192k filesize=81920000 runtime=8
a.3 group 0 stage 0: size=1m directory=/data/x numjobs=4 bs=8192 io_size=8192k filesize=81920000 runtime=8
`},
		{"names", "g.fio -name=x --name=y", files{"g.fio": "[global]\nname=g\nfilename=f\n[a]\n[b]\nname=c\n"}, `
x.0 group 0 stage 0: name=x
y.0 group 0 stage 0: name=y
a.0 group 0 stage 0: name=g filename=f
c.0 group 0 stage 0: name=g filename=f name=c
`},
		{"what comes first and last", "j.fio", files{"j.fio": "[a]\nfilename=f\nsize=1k\nfilename_format=x\nunit_base=8\nbs=1k\n"}, `
a.0 group 0 stage 0: unit_base=8 size=1k bs=1k filename=f filename_format=x
`},
		{"waiting for all of a name", "--name=a --numjobs=2 --name=b --wait_for=a", nil, `
a.0 group 0 stage 0: name=a numjobs=2
a.1 group 0 stage 0: name=a numjobs=2
b.0 group 0 stage 1: name=b wait_for=a
`},
		{"waiting for one of several", "--name=a --name=b --name=c --wait_for=a", nil, `
a.0 group 0 stage 0: name=a
b.0 group 0 stage 0: name=b
c.0 group 0 stage 0 after a: name=c wait_for=a
`},
		{"waiting beside one that does not", "j.fio", files{"j.fio": "[x]\n[a]\nstonewall\nnumjobs=2\n[b]\nwait_for=a\n[c]\nwait_for=b\n[d]\n[e]\nwait_for=x\n"}, `
x.0 group 0 stage 0:
a.0 group 1 stage 1: stonewall numjobs=2
a.1 group 1 stage 1: stonewall numjobs=2
b.0 group 1 stage 1 after a: wait_for=a
c.0 group 1 stage 1 after b: wait_for=b
d.0 group 1 stage 1:
e.0 group 1 stage 1: wait_for=x
`},
		{"a log without a name", "j.fio", files{"j.fio": "[a]\nwrite_bw_log\n"}, `
a.0 group 0 stage 0: write_bw_log
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(strings.Fields(c.args), c.files.sources())
			if err != nil {
				t.Fatal(err)
			}
			if have := "\n" + show(got); have != c.want {
				t.Errorf("got %s\nwant %s", have, c.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		args  string
		files files
		want  string
	}{
		{"--name=x --rw=randread --bs=4q", nil, `
argument 3: bs=4q: "q" is no unit of bytes: they are k, m, g, t and p
    --bs=4q
          ^`},
		{"--name=x --bs 4q", nil, `
argument 2: bs=4q: "q" is no unit of bytes: they are k, m, g, t and p
    --bs 4q
          ^`},
		{"--name=x --rwmixread=130", nil, `
argument 2: rwmixread=130: the most is 100
    --rwmixread=130
                ^^^`},
		{"--name=x --runtime=10x", nil, `
argument 2: runtime=10x: "x" is no unit of time: they are us, ms, s, m, h and d
    --runtime=10x
                ^`},
		{"--name=x --bs=1.5k", nil, `
argument 2: bs=1.5k: fio takes whole numbers: choose a smaller unit
    --bs=1.5k
          ^^^`},
		{"--name=x --bs=-4k", nil, `
argument 2: bs=-4k: the least is 1
    --bs=-4k
         ^^^`},
		{"--name=x --ioengine=libiao", nil, `
argument 2: ioengine=libiao: "libiao" is not one of sync, psync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio, rbd, mmap, splice, netsplice, sg, null, net, cpuio, rdma, e4defrag, falloc, ftruncate, filecreate, filestat, filedelete, exec, gfapi, gfapi_async, mtd, pmemblk, dev-dax, rados, external, libpmem, nbd, io_uring_cmd (did you mean "libaio"?)
    --ioengine=libiao
               ^^^^^^`},
		{"--name=x --iodpeth=4", nil, `
argument 2: "iodpeth": fio has no such option (did you mean "iodepth"?)
    --iodpeth=4
      ^^^^^^^`},
		{"--name=x --readw=read --rea=4", nil, `
argument 3: "rea": more than one option begins so: read_beyond_wp, read_iolog, read_iolog_chunked, readonly, readwrite
    --rea=4
      ^^^`},
		{"--name=x --bs=4k-8k", nil, `
argument 2: bs=4k-8k: it is one size: a range of them is bsrange=4k-8k
    --bs=4k-8k
           ^^^`},
		{"--name=x --size=64k,32k", nil, `
argument 2: size=64k,32k: it is one number, and this goes on with ",32k"
    --size=64k,32k
              ^^^^`},
		{"j.fio", files{"j.fio": "[x]\nsize=\"64k\"\n"}, `
j.fio:2: size="64k": numbers have no quotes
    size="64k"
         ^^^^^`},
		{"j.fio", files{"j.fio": "[x]\nrw='write'\n"}, `
j.fio:2: rw='write': words have no quotes: it is write
    rw='write'
       ^^^^^^^`},
		{"j.fio", files{"j.fio": "[x]\n--size=4k\n"}, `
j.fio:2: "--size": options have no dashes in a job file: write size
    --size=4k
    ^^^^^^`},
		{"--name=x --direct --size=1m", nil, `
argument 2: direct=--size=1m: it is 0 or 1
    --direct --size=1m
             ^^^^^^^^^`},
		{"j.fio", files{"j.fio": "bs=4k\n"}, `
j.fio:1: bs=4k: options stand in a section: begin one with [global] or [name]
    bs=4k
    ^^^^^`},
		{"j.fio", files{"j.fio": "[x]\n  size=\n"}, `
j.fio:2: size=: it needs a value, as in size=4k
      size=
      ^^^^^`},
		{"j.fio", files{"j.fio": "[x]\nsize = 1g ; one\n\tbs = 4k,8k,1k,2k # four\n"}, `
j.fio:3: bs=4k,8k,1k,2k: there are at most three parts: for reads, writes and trims
     bs = 4k,8k,1k,2k # four
          ^^^^^^^^^^^`},
		{"j.fio", files{"j.fio": "[x]\ninclude nothere\n"}, `
j.fio:2: include nothere: file does not exist
    include nothere
            ^^^^^^^`},
		{"j.fio", files{"j.fio": "[x]\ninclude j.fio\n"}, `
j.fio:1: [x]: a file that is included has no sections of its own
    [x]
    ^^^`},
		{"j.fio", files{"j.fio": "[x]\ninclude k\n", "k": "include k\n"}, `
k:1: include k: files include one another more than 16 deep
    include k
    ^^^^^^^^^`},
		{"rw=read", nil, `
argument 1: job file rw=read: file does not exist: an option begins with two dashes, as in --rw=read
    rw=read
    ^^^^^^^`},
		{"--name=a --name=b --wait_for=c", nil, `
argument 3: wait_for=c: there is no job of that name before this one
    --wait_for=c
               ^`},
		{"--max-jobs=3 --name=a --numjobs=4", nil, `
argument 3: numjobs=4: that makes 4 jobs, and the most are 3: --max-jobs changes that
    --numjobs=4
              ^`},
		{"--name=x --size=(4*(2k)", nil, `
argument 2: size=(4*(2k): a parenthesis is not closed
    --size=(4*(2k)
           ^^^^^^^`},
	} {
		_, err := Parse(strings.Fields(c.args), c.files.sources())
		if err == nil {
			t.Errorf("%s: no error", c.args)
		} else if got := "\n" + err.Error(); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.args, got, c.want)
		}
	}
}

// TestOddFiles reads what editors and other systems make of a job file, and refuses what is
// none.
func TestOddFiles(t *testing.T) {
	for _, text := range []string{"\ufeff[a]\nsize=4k\n", "[a]\r\nsize=4k\r\n", "\t[a]\n\tsize\t=\t4k", "[a]\nsize=4k ; words\n\n"} {
		c, err := Parse([]string{"j"}, files{"j": text}.sources())
		if err != nil || len(c.Jobs) != 1 || ValuesOf(&c.Jobs[0]).Size("size").Bytes != 4096 {
			t.Errorf("%q: %v", text, err)
		}
	}
	many := "[global]\nsize=4k\n"
	for i := range mostJobs + 1 {
		many += fmt.Sprintf("[j%d]\n", i)
	}
	for _, c := range []struct{ text, want string }{
		{"[a]\ndescription=" + strings.Repeat("x", longestLine), "j:2: job file: the line has more than 8192 bytes, which is the most"},
		{strings.Repeat("; a comment\n", largestFile/12+1), "j:5592407: job file: it has more than 64 MiB, which is the most"},
		{many, "j:4099: job j4096: that makes 4097 jobs, and the most are 4096: --max-jobs changes that\n    [j4096]\n    ^^^^^^^"},
	} {
		if _, err := Parse([]string{"j"}, files{"j": c.text}.sources()); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text  string
		units units
		want  int64
	}{
		{"4096", units{}, 4096}, {"4k", units{}, 4096}, {"4K", units{}, 4096}, {"4kb", units{}, 4096}, {"4kB", units{}, 4096},
		{"4b", units{}, 4}, {"10ki", units{}, 10240}, {"10kib", units{}, 10000}, {"10KiB", units{}, 10000},
		{"1m", units{}, 1 << 20}, {"1t", units{}, 1 << 40}, {"2p", units{}, 2 << 50}, {"0x1000", units{}, 4096}, {"0x10k", units{}, 16384}, {"010", units{}, 10},
		{"10k", units{base: 1000}, 10000}, {"10kib", units{base: 1000}, 10240}, {"1m", units{base: 1000}, 1e6},
		{"5", units{time: true, bare: 1e6}, 5e6}, {"5", units{time: true, bare: 1}, 5}, {"100ms", units{time: true, bare: 1e6}, 1e5},
		{"100MSEC", units{time: true, bare: 1e6}, 1e5}, {"2m", units{time: true, bare: 1e6}, 120e6}, {"1d", units{time: true, bare: 1e6}, 86400e6},
		{"128*2", units{}, 256}, {"4k*3", units{}, 12288}, {"2*3", units{time: true, bare: 1e6}, 6e6}, {"2ms*3", units{time: true, bare: 1e6}, 6000},
		{"(2*4k)", units{}, 8192}, {"(1+2*3)", units{}, 7}, {"(2^10 - 24)", units{}, 1000}, {"((1+2)*3)", units{}, 9}, {"(7%4)", units{}, 3},
		{"(8/2/2)", units{}, 2}, {"(1000*2)", units{time: true, bare: 1e6}, 2000}, {"(2s)", units{time: true, bare: 1e6}, 2e6},
	} {
		got, err := number(c.text, 0, c.units)
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v; want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "k", "4q", "4kk", "1.5", "()", "(", "(1", "(1+)", "(1)(2)", "(1/0)", "(2^99999)", "99999999999999999999", "9000p", "-1", "0x", "4 k"} {
		if n, err := number(text, 0, units{}); err == nil {
			t.Errorf("%q is %d, and should be an error", text, n)
		}
	}
}

func TestParts(t *testing.T) {
	for text, want := range map[string][3]string{
		"8k":      {"8k", "8k", "8k"},
		"8k,32k":  {"8k", "32k", "32k"},
		"8k,32k,": {"8k", "32k", ""},
		",8k":     {"", "8k", "8k"},
		",8k,":    {"", "8k", ""},
		"1,2,3":   {"1", "2", "3"},
	} {
		if got := Parts(text); got != want {
			t.Errorf("%q has parts %q, and should have %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--name=x --bs=4k", "[a]\nsize=1g\n")
	f.Add("j.fio --section=a", "[global]\nbs=(2*4k),8k\n[a]\nstonewall\nnumjobs=2\n")
	f.Add("- --max-jobs=2", "[a]\ninclude j.fio\nruntime=${SIZE}s\nrandom_distribution=zipf:1.2\n")
	f.Fuzz(func(t *testing.T, args, file string) {
		c, err := Parse(strings.Fields(args), files{"j.fio": file, "-": file}.sources())
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Pos.Text != "" && !strings.Contains(err.Error(), "^") {
				t.Errorf("not an error with a mark: %v", err)
			}
			return
		}
		for _, j := range c.Jobs {
			for _, o := range j.All {
				if spec, ok := Find(o.Name); !ok || spec.Name != o.Name {
					t.Errorf("option %q is not known by that name", o.Name)
				}
			}
		}
	})
}
