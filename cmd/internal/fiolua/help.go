package fiolua

import (
	"maps"
	"slices"
)

// Becomes says what becomes of an option of fio's.
func Becomes(name string) string {
	t := treatments[name]
	switch {
	case t.refused != "":
		return "refused: " + t.refused
	case t.ignored != "":
		return "ignored: " + t.ignored
	}
	return "translated"
}

// Engines are fio's engines that moonio has.
func Engines() []string { return slices.Sorted(maps.Keys(engines)) }

// NoEngine says what to use instead of an engine of fio's; nothing if moonio has it.
func NoEngine(name string) string {
	if _, ok := engines[name]; ok {
		return ""
	}
	if how, ok := instead[name]; ok {
		return how
	}
	return "it has psync, sync, libaio, io_uring, posixaio, mmap and null"
}
