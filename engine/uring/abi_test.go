package uring

import (
	"testing"
	"unsafe"
)

// TestABI compares sizes and offsets with those of linux/io_uring.h.
func TestABI(t *testing.T) {
	var (
		s sqe
		c cqe
		p params
		g geteventsArg
		u rsrcUpdate
		o probe
	)
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"sizeof io_uring_sqe", unsafe.Sizeof(s), 64},
		{"io_uring_sqe.off", unsafe.Offsetof(s.off), 8},
		{"io_uring_sqe.addr", unsafe.Offsetof(s.addr), 16},
		{"io_uring_sqe.len", unsafe.Offsetof(s.len), 24},
		{"io_uring_sqe.rw_flags", unsafe.Offsetof(s.opFlags), 28},
		{"io_uring_sqe.user_data", unsafe.Offsetof(s.userData), 32},
		{"io_uring_sqe.buf_index", unsafe.Offsetof(s.bufIndex), 40},
		{"io_uring_sqe.file_index", unsafe.Offsetof(s.fileSlot), 44},
		{"io_uring_sqe.addr3", unsafe.Offsetof(s.addr3), 48},
		{"sizeof io_uring_cqe", unsafe.Sizeof(c), 16},
		{"io_uring_cqe.res", unsafe.Offsetof(c.res), 8},
		{"sizeof io_uring_params", unsafe.Sizeof(p), 120},
		{"io_uring_params.features", unsafe.Offsetof(p.features), 20},
		{"io_uring_params.sq_off", unsafe.Offsetof(p.sqOff), 40},
		{"io_uring_params.sq_off.array", unsafe.Offsetof(p.sqOff) + unsafe.Offsetof(p.sqOff.array), 64},
		{"io_uring_params.cq_off", unsafe.Offsetof(p.cqOff), 80},
		{"io_uring_params.cq_off.cqes", unsafe.Offsetof(p.cqOff) + unsafe.Offsetof(p.cqOff.cqes), 100},
		{"sizeof io_uring_getevents_arg", unsafe.Sizeof(g), 24},
		{"io_uring_getevents_arg.ts", unsafe.Offsetof(g.ts), 16},
		{"sizeof io_uring_rsrc_update", unsafe.Sizeof(u), 16},
		{"io_uring_rsrc_update.data", unsafe.Offsetof(u.data), 8},
		{"io_uring_probe.ops", unsafe.Offsetof(o.ops), 16},
		{"sizeof io_uring_probe_op", unsafe.Sizeof(o.ops[0]), 8},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.what, c.got, c.want)
		}
	}
}
