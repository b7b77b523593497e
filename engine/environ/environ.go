// Package environ says under which conditions a result was measured: the
// machine, the file system and the device beneath a path, and what else the
// device carried at the time.
//
// Everything is read from /proc and /sys. What is not there, as in a container
// or on an unusual device, is left at its zero value and is no error. Only
// things that stay the same from run to run are gathered, so that equal
// machines give equal environments.
package environ

// Environment is a machine and, unless the run touched none, its storage.
type Environment struct {
	Hostname       string   `json:"hostname"`
	Kernel         string   `json:"kernel"` // release, "6.8.0-45-generic"
	Arch           string   `json:"arch"`
	CPU            string   `json:"cpu"`                      // model
	CPUs           int      `json:"cpus"`                     // logical processors that this process may use
	MemoryBytes    int64    `json:"memory_bytes"`             // installed, or the container's limit if that is lower
	Virtualization string   `json:"virtualization,omitempty"` // "kvm", "docker on kvm"; empty on bare metal
	Storage        *Storage `json:"storage,omitempty"`        // nil if the run touches no storage
}

// Storage is what lies beneath a directory, or a block device that was named itself.
type Storage struct {
	Path    string  `json:"path"`
	Mount   string  `json:"mount,omitempty"`   // mount point
	FSType  string  `json:"fs_type,omitempty"` // "ext4"; empty for a block device
	Options string  `json:"options,omitempty"` // mount options, the file system's own included
	Source  string  `json:"source,omitempty"`  // what is mounted, "/dev/nvme0n1p2"
	Device  *Device `json:"device,omitempty"`  // nil if there is none or it is out of sight
}

// InMemory says that the file system keeps its files in memory and has no disk.
func (s *Storage) InMemory() bool {
	return s != nil && (s.FSType == "tmpfs" || s.FSType == "ramfs")
}

// Device is a whole block device. Sizes are in bytes.
type Device struct {
	Name          string   `json:"name"`                // "nvme0n1", as in /sys/class/block
	Partition     string   `json:"partition,omitempty"` // "nvme0n1p2", if one of its partitions is used
	Under         []string `json:"under,omitempty"`     // the disks that a mapped or striped device lies on
	Backing       string   `json:"backing,omitempty"`   // the file beneath a loop device
	Model         string   `json:"model,omitempty"`
	Driver        string   `json:"driver,omitempty"` // "nvme", "virtio_blk", "sd"
	Firmware      string   `json:"firmware,omitempty"`
	SizeBytes     int64    `json:"size_bytes"`
	Rotational    bool     `json:"rotational"`
	Scheduler     string   `json:"scheduler,omitempty"`   // the one in use
	Requests      int      `json:"requests,omitempty"`    // nr_requests: the depth of the kernel's queue
	LogicalBlock  int      `json:"logical_block"`         // the smallest direct operation
	PhysicalBlock int      `json:"physical_block"`        // the smallest the medium writes at once
	WriteCache    string   `json:"write_cache,omitempty"` // "write back" or "write through"
	Link          *Link    `json:"link,omitempty"`        // PCIe, where the device says
	System        bool     `json:"system"`                // the running system is on it too
}

// Link is a PCIe link as it was trained and as it could be.
type Link struct {
	Speed    string `json:"speed"` // "16.0 GT/s PCIe"
	MaxSpeed string `json:"max_speed"`
	Width    int    `json:"width"` // lanes
	MaxWidth int    `json:"max_width"`
}

// Counters are what a device has done, as the kernel counts it for everyone. Of
// two readings, the difference says what happened between them.
type Counters struct {
	Reads      int64 `json:"reads"`
	ReadBytes  int64 `json:"read_bytes"`
	ReadNS     int64 `json:"read_ns"` // summed over the reads
	Writes     int64 `json:"writes"`
	WriteBytes int64 `json:"write_bytes"`
	WriteNS    int64 `json:"write_ns"`
	Trims      int64 `json:"trims"`
	TrimBytes  int64 `json:"trim_bytes"`
	Flushes    int64 `json:"flushes"`
	BusyNS     int64 `json:"busy_ns"`  // with anything in flight
	QueueNS    int64 `json:"queue_ns"` // time × operations in flight

	ReadMerges  int64 `json:"read_merges"` // requests that joined another
	WriteMerges int64 `json:"write_merges"`
}
