package columns

import (
	"bytes"
	"errors"
	"fmt"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// sector is the block layer's unit of size.
const sector = 512

var (
	letters  = codes{{"r", engine.Read}, {"w", engine.Write}}
	words    = codes{{"read", engine.Read}, {"write", engine.Write}}
	oneWrite = codes{{"0", engine.Read}, {"1", engine.Write}}
	oneRead  = codes{{"1", engine.Read}, {"0", engine.Write}}
)

// Formats are the tables that have names, and Columns, for those that have none.
var Formats = []*trace.Format{MSR, SYSTOR, Alibaba, Tencent, SPC, K5cloud, FIU, DiskSim, Blkreplay, Columns}

// MSR is the format of MSR Cambridge's traces: Windows' time, host, disk.
var MSR = table("msr", "MSR Cambridge's traces (CSV)", 92, &layout{
	separator: ',', columns: 7, time: clock{"timestamp", 1, filetime},
	op: column{name: "type", at: 4}, codes: words,
	offset: column{"offset", 5, 1}, length: column{"size", 6, 1}, latency: clock{"response time", 7, ticks},
	file: []int{2, 3}, stream: []int{2, 3}, join: '_', unix: true,
})

// SYSTOR is the format of the VDI traces of SYSTOR '17, a file per hour and LUN.
var SYSTOR = table("systor17", "the VDI traces of SYSTOR '17 (CSV)", 90, &layout{
	separator: ',', columns: 6, time: clock{"timestamp", 1, s},
	op: column{name: "type", at: 3}, codes: letters, blankOp: "I/Os of no type, whose response was not captured",
	offset: column{"offset", 5, 1}, length: column{"size", 6, 1}, latency: clock{"response", 2, s},
	file: []int{4}, unix: true,
})

// Alibaba is the format of Alibaba's block traces of 2020.
var Alibaba = table("alibaba", "Alibaba's block traces (CSV)", 90, &layout{
	separator: ',', columns: 5, time: clock{"timestamp", 5, us},
	op: column{name: "opcode", at: 2}, codes: letters,
	offset: column{"offset", 3, 1}, length: column{"length", 4, 1}, file: []int{1}, unix: true,
})

// Tencent is the format of Tencent's cloud block storage traces, whose times are whole seconds.
var Tencent = table("tencent", "Tencent's block storage traces (CSV)", 80, &layout{
	separator: ',', columns: 5, time: clock{"timestamp", 1, s},
	op: column{name: "I/O type", at: 4}, codes: oneWrite,
	offset: column{"offset", 2, sector}, length: column{"size", 3, sector}, file: []int{5}, unix: true,
	note: "tencent: the times are whole seconds, so that the I/Os of a second all come at its beginning",
})

// SPC is the format of the Storage Performance Council's traces (Financial, WebSearch).
var SPC = table("spc", "SPC traces, as UMass has them", 88, &layout{
	separator: ',', columns: 5, more: true, time: clock{"timestamp", 5, s},
	op: column{name: "opcode", at: 4}, codes: letters,
	offset: column{"LBA", 2, sector}, length: column{"size", 3, 1}, file: []int{1},
})

// K5cloud is the format of Fujitsu's K5 cloud traces.
var K5cloud = table("k5cloud", "Fujitsu K5 cloud traces (CSV)", 88, &layout{
	separator: ',', columns: 5, time: clock{"timestamp", 2, s},
	op: column{name: "type", at: 3}, codes: letters,
	offset: column{"offset", 4, 1}, length: column{"length", 5, 1}, file: []int{1}, unix: true,
})

// FIU is the format of Florida International University's traces. A process's name can
// hold blanks, so what follows it is counted from the end.
var FIU = table("fiu", "FIU's traces with content hashes", 88, &layout{
	separator: blanks, columns: 9, more: true, time: clock{"timestamp", 1, ns},
	op: column{name: "type", at: -4}, codes: letters,
	offset: column{"LBA", -6, sector}, length: column{"size", -5, sector},
	file: []int{-3, -2}, join: ',', stream: []int{2},
})

// Blkreplay is the format of blkreplay's .load files.
var Blkreplay = table("blkreplay", "blkreplay's .load files", 88, &layout{
	separator: ';', columns: 4, more: true, time: clock{"start", 1, s},
	op: column{name: "operation", at: 4}, codes: letters,
	offset: column{"sector", 2, sector}, length: column{"length", 3, sector},
})

// table is the format of a layout that needs no arguments; a file that looks like it is
// taken for one with the certainty sure.
func table(name, help string, sure int, l *layout) *trace.Format {
	l.quoted = l.separator != blanks
	l.telling = l.quoted && l.codes[0].text > "9"
	return &trace.Format{
		Name: name, Help: help,
		Sniff: func(head []byte) int { return l.fit(head, sure) },
		Open: func(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
			return open(l, in, log), nil
		},
	}
}

// DiskSim is the format that the simulators DiskSim and MQSim share. Whether 1 is a read
// or a write varies with the program that made the trace.
var DiskSim = &trace.Format{
	Name: "disksim", Help: "the simulators DiskSim and MQSim",
	Args: []trace.Arg{
		{Name: "reads", Help: "the type that is a read: 0 or 1 (must be said, since traces differ)"},
		{Name: "time", Help: "unit of the times: ns, us, ms or s; else ms where they have decimals, ns where not"},
	},
	Sniff: func(head []byte) int { return disksim.fit(head, 40) },
	Open:  openDiskSim,
}

var disksim = layout{
	separator: blanks, columns: 5, time: clock{"arrival time", 1, ns},
	op: column{name: "type", at: 5}, codes: oneWrite,
	offset: column{"LBA", 3, sector}, length: column{"size", 4, sector}, file: []int{2},
}

func openDiskSim(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	l := disksim
	switch reads := o.Arg("reads"); reads {
	case "0":
	case "1":
		l.codes = oneRead
	case "":
		return nil, errors.New("disksim: some programs write 1 for a read and some for a write, and nothing in the trace tells: say reads=1 or reads=0")
	default:
		return nil, fmt.Errorf("disksim: reads=%s: it is the type that is a read, 0 or 1", reads)
	}
	if unit := o.Arg("time"); unit != "" {
		var err error
		if l.time.timeUnit, err = unitOfTime(unit); err != nil {
			return nil, fmt.Errorf("disksim: time: %w", err)
		}
		return open(&l, in, log), nil
	}
	l.time.timeUnit = guessUnit(in, log)
	return open(&l, in, log), nil
}

// guessUnit is what a simulator's times are likely to be in.
func guessUnit(in *trace.Input, log *trace.Log) timeUnit {
	head, _ := in.Peek(4096)
	for _, line := range disksim.data(head) {
		if word, _ := scan.Field(line); bytes.IndexByte(word, '.') > 0 {
			log.Note("disksim: the times have decimals, so they are taken for milliseconds: if the span is wrong, say time=ns, us or s")
			return ms
		}
	}
	log.Note("disksim: the times have no decimals, so they are taken for nanoseconds: if the span is wrong, say time=us, ms or s")
	return ns
}
