package environ

import (
	"fmt"
	"strings"
)

// ms is the kernel's unit of time in these counters.
const ms = 1_000_000

// Counters reads what a device has done since it appeared. The device is named
// as in Device.Name.
func (m Machine) Counters(device string) (Counters, error) {
	f := strings.Fields(m.text(classBlock + device + "/stat"))
	if len(f) < 11 {
		return Counters{}, fmt.Errorf("counters of device %q: %s%s/stat cannot be read", device, classBlock, device)
	}
	// Older kernels have neither trims nor flushes.
	var v [17]int64
	for i := range min(len(f), len(v)) {
		v[i] = number(f[i])
	}
	return Counters{
		Reads: v[0], ReadBytes: v[2] * sector, ReadNS: v[3] * ms,
		Writes: v[4], WriteBytes: v[6] * sector, WriteNS: v[7] * ms,
		BusyNS: v[9] * ms, QueueNS: v[10] * ms,
		Trims: v[11], TrimBytes: v[13] * sector,
		Flushes:    v[15],
		ReadMerges: v[1], WriteMerges: v[5],
	}, nil
}

// Since is what happened between an earlier reading and this one.
func (c Counters) Since(before Counters) Counters { return c.join(before, -1) }

// Plus is what happened in both of two stretches.
func (c Counters) Plus(o Counters) Counters { return c.join(o, 1) }

func (c Counters) join(o Counters, sign int64) Counters {
	return Counters{
		Reads: c.Reads + sign*o.Reads, ReadBytes: c.ReadBytes + sign*o.ReadBytes, ReadNS: c.ReadNS + sign*o.ReadNS,
		Writes: c.Writes + sign*o.Writes, WriteBytes: c.WriteBytes + sign*o.WriteBytes, WriteNS: c.WriteNS + sign*o.WriteNS,
		BusyNS: c.BusyNS + sign*o.BusyNS, QueueNS: c.QueueNS + sign*o.QueueNS,
		Trims: c.Trims + sign*o.Trims, TrimBytes: c.TrimBytes + sign*o.TrimBytes,
		Flushes:    c.Flushes + sign*o.Flushes,
		ReadMerges: c.ReadMerges + sign*o.ReadMerges, WriteMerges: c.WriteMerges + sign*o.WriteMerges,
	}
}
