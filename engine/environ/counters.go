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
		Flushes: v[15],
	}, nil
}

// Since is what happened between an earlier reading and this one.
func (c Counters) Since(before Counters) Counters {
	return Counters{
		Reads: c.Reads - before.Reads, ReadBytes: c.ReadBytes - before.ReadBytes, ReadNS: c.ReadNS - before.ReadNS,
		Writes: c.Writes - before.Writes, WriteBytes: c.WriteBytes - before.WriteBytes, WriteNS: c.WriteNS - before.WriteNS,
		BusyNS: c.BusyNS - before.BusyNS, QueueNS: c.QueueNS - before.QueueNS,
		Trims: c.Trims - before.Trims, TrimBytes: c.TrimBytes - before.TrimBytes,
		Flushes: c.Flushes - before.Flushes,
	}
}
