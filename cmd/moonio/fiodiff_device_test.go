package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deviceJobs are carried out on a block device of 256 KiB, dev: fio trims nothing else.
var deviceJobs = []peerJob{
	{args: "--name=a --filename=dev --rw=trim --size=128k --direct=1"},
	{args: "--name=a --filename=dev --rw=trim:8k --bs=8k --direct=1"},
	{args: "--name=a --filename=dev --rw=randtrim --bs=16k --direct=1", order: set},
	{args: "--name=a --filename=dev --rw=trimwrite --size=64k --direct=1 --zero_buffers"},
	{args: "--name=a --filename=dev --rw=write --buffer_pattern=0x44 --direct=1 --name=b --stonewall --filename=dev --rw=trim --offset=64k --size=64k --direct=1"},
	{args: "--name=a --filename=dev --rw=randread --direct=1 --ioengine=libaio --iodepth=8", order: set},
}

// Both programs leave the same bytes on a device: what is trimmed reads as zeros.
func TestDevicesAsFio(t *testing.T) {
	fio := findFio(t)
	if !mayLoop() {
		t.Skip("NOT TESTED: no loop devices here")
	}
	moonio, err := exec.LookPath("moonio")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range fewer(deviceJobs, 1) {
		t.Run(j.title(), func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dev := device(t, filepath.Join(top, "image"))
			p := &peerPair{job: j}
			p.job.data = true
			p.job.args = strings.ReplaceAll(j.args, "=dev", "="+dev)
			p.fio = onDevice(t, dev, filepath.Join(top, "fio"), p.job, fio)
			p.moonio = onDevice(t, dev, filepath.Join(top, "moonio"), p.job, moonio, "fio", "--no-progress", "--device", dev, "--destroy-data")
			p.compare(t)
		})
	}
}

// device makes a block device of a file.
func device(t *testing.T, file string) string {
	t.Helper()
	if err := os.WriteFile(file, make([]byte, 256<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	dev, err := attach(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := detach(dev); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// onDevice runs a job with a device, of which what is left is in the file dev afterwards.
func onDevice(t *testing.T, dev, dir string, j peerJob, program ...string) peerRun {
	t.Helper()
	if err := os.WriteFile(dev, bytes.Repeat([]byte{0x33}, 256<<10), 0); err != nil {
		t.Fatal(err)
	}
	r := runPeer(t.Context(), dir, j, program...)
	left, err := os.ReadFile(dev)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "dev"), left, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}
