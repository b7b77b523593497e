package report

import (
	"fmt"

	"moonio/engine/units"
)

const (
	cacheTimes  = 2 // of the memory: what a file must exceed for the page cache not to matter
	solidCache  = units.GiB
	rotateCache = 256 * units.MiB
)

// pageCache looks for reads that memory can answer, and for writes that nobody
// sees to the disk.
func pageCache(r *Result, _ *Phase, j *Job) []string {
	c, memory := &j.Conditions, r.Environment.MemoryBytes
	if !r.storage() || c.IO != "buffered" || memory == 0 || c.SizeBytes >= cacheTimes*memory {
		return nil
	}
	var texts []string
	if j.count("read") > 0 {
		texts = append(texts, fmt.Sprintf("%s: reads go through the page cache, and %s fit in %s of memory: memory answered, not the disk. Open with direct = true, or use more than %s.",
			j.Name, size(c.SizeBytes), size(memory), size(cacheTimes*memory)))
	}
	if j.count("write", "append") > 0 && c.Sync == "" && j.count("fsync", "fdatasync", "sync_range") == 0 {
		texts = append(texts, fmt.Sprintf("%s: writes end in the page cache, in %s of memory, and nothing waits for the disk. Sync them, or open with direct = true.", j.Name, size(memory)))
	}
	return texts
}

// smallFile takes a gigabyte as what a solid-state device, and a quarter of it as what a
// rotating one, may keep in its own memory.
func smallFile(r *Result, _ *Phase, j *Job) []string {
	c, enough := &j.Conditions, solidCache
	if d := r.device(); d != nil && d.Rotational {
		enough = rotateCache
	}
	if !r.storage() || c.IO != "direct" || c.SizeBytes == 0 || c.SizeBytes >= enough || j.count("read") == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: reads are from %s, which the device's own cache may hold, and then look faster than the medium is. Use %s or more.", j.Name, size(c.SizeBytes), size(enough))}
}
