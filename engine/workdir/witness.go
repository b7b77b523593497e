package workdir

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// place says where a process runs.
type place struct {
	Host    string `json:"host"`
	Machine string `json:"machine,omitempty"` // a hash of the machine's ID
	Boot    string `json:"boot,omitempty"`    // the kernel's, so that what it says of processes can be believed
	PIDs    string `json:"pids,omitempty"`    // the namespace that process IDs are in
}

// witness can say whether processes are alive.
type witness struct {
	place
	proc string // where /proc is
}

func here() witness { return witnessAt("/") }

func witnessAt(root string) witness {
	w := witness{proc: filepath.Join(root, "proc")}
	w.Host = text(w.proc, "sys/kernel/hostname")
	w.Boot = text(w.proc, "sys/kernel/random/boot_id")
	w.PIDs, _ = os.Readlink(filepath.Join(w.proc, "self/ns/pid"))
	if id := text(root, "etc/machine-id"); id != "" {
		// The ID itself is not to be shown to others.
		sum := sha256.Sum256([]byte("moonio " + id))
		w.Machine = hex.EncodeToString(sum[:8])
	}
	return w
}

// text is a small file's, without the space around it; "" if it can't be read.
func text(dir, name string) string {
	b, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(b))
}

// started is when a process was started, in clock ticks since the boot, and
// whether it is alive.
func (w witness) started(pid int) (ticks uint64, alive bool) {
	line := text(w.proc, strconv.Itoa(pid)+"/stat")
	// The second field is a name in brackets, which may hold anything.
	f := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return 0, false
	}
	ticks, err := strconv.ParseUint(f[19], 10, 64)
	return ticks, err == nil
}

// sameMachine says whether p is this machine, perhaps before it was last started.
func (w witness) sameMachine(p place) bool {
	switch {
	case w.Boot != "" && w.Boot == p.Boot:
		return true
	case w.Machine != "" && p.Machine != "":
		return w.Machine == p.Machine
	}
	return w.Host == p.Host
}

// fate says what has become of an owner whose mark nobody holds locked.
func (w witness) fate(o owner) State {
	switch {
	case w.Boot == "" || o.Boot == "" || !w.sameMachine(o.place):
		return Elsewhere
	case w.Boot != o.Boot:
		return Killed
	}
	visible := w.PIDs == o.PIDs
	if ticks, alive := w.started(o.PID); visible && alive && ticks == o.Start {
		return Live
	}
	if o.Locked || visible {
		return Killed
	}
	return Elsewhere
}
