package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/blockdev"
	"moonio/engine/osfs"
	"moonio/vm"
)

// openDevices opens the block devices that the user named: past the page cache,
// for writing only if what is on them may be destroyed.
func (s *storage) openDevices(paths []string, destroy bool) error {
	for _, path := range paths {
		d, err := blockdev.Open(path, destroy)
		if err != nil {
			return err
		}
		s.held = append(s.held, d)
		v, err := direct(s.files, d)
		if err != nil {
			return fmt.Errorf("device %s: %w", path, err)
		}
		s.devices = append(s.devices, v)
	}
	return nil
}

// lookAtDevices describes the block devices that the user named, without opening them.
func lookAtDevices(paths []string, destroy bool) ([]*vm.Device, error) {
	var devices []*vm.Device
	for _, path := range paths {
		d, err := blockdev.Look(path, destroy)
		if err != nil {
			return nil, err
		}
		align := engine.Align{Mem: d.LogicalBlock, Offset: d.LogicalBlock}
		devices = append(devices, &vm.Device{Path: path, FD: -1, Size: d.Size, ReadOnly: !destroy, Align: align})
	}
	return devices, nil
}

// direct opens a device that is held once more, for direct I/O.
func direct(files *osfs.FS, d *blockdev.Device) (*vm.Device, error) {
	mode := unix.O_RDONLY
	if d.Writable {
		mode = unix.O_RDWR
	}
	fd, err := files.OpenPath(d.Handle(), mode|unix.O_DIRECT)
	if err != nil {
		return nil, err
	}
	align, err := files.Alignment(fd)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	if align.Offset == 0 {
		align = engine.Align{Mem: d.LogicalBlock, Offset: d.LogicalBlock}
	}
	return &vm.Device{Path: d.Path, FD: fd, Size: d.Size, ReadOnly: !d.Writable, Align: align}, nil
}

func (s *storage) closeDevices() error {
	var errs []error
	for _, v := range s.devices {
		errs = append(errs, unix.Close(v.FD))
	}
	for _, d := range s.held {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
