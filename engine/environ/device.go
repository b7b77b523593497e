package environ

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sector is the kernel's unit of sizes and counters, whatever the device's blocks are.
const sector = 512

// device describes the disk that name, a disk or a partition, belongs to.
func (m Machine) device(name string) *Device {
	if name == "" {
		return nil
	}
	disk, disks := m.whole(name), m.disks(name)
	d := &Device{Name: disk}
	if disk != name {
		d.Partition = name
	}
	// What the hardware says of itself is asked of the one disk beneath a mapped device.
	hard := disk
	if !slices.Equal(disks, []string{disk}) {
		d.Under = disks
		if len(disks) == 1 {
			hard = disks[0]
		}
	}
	dir := classBlock + disk
	d.Backing = m.text(dir + "/loop/backing_file")
	d.SizeBytes = number(m.text(dir+"/size")) * sector
	d.Rotational = m.text(dir+"/queue/rotational") == "1"
	d.LogicalBlock = int(number(m.text(dir + "/queue/logical_block_size")))
	d.PhysicalBlock = int(number(m.text(dir + "/queue/physical_block_size")))
	m.hardware(d, classBlock+hard)
	system := m.system()
	d.System = slices.ContainsFunc(disks, func(s string) bool { return slices.Contains(system, s) })
	return d
}

func (m Machine) hardware(d *Device, dir string) {
	d.Model = cmp.Or(m.text(dir+"/device/model"), m.text(dir+"/device/name"))
	d.Firmware = cmp.Or(m.text(dir+"/device/firmware_rev"), m.text(dir+"/device/rev"), m.text(dir+"/device/fwrev"))
	d.Scheduler = chosen(m.text(dir + "/queue/scheduler"))
	d.Requests = int(number(m.text(dir + "/queue/nr_requests")))
	d.WriteCache = m.text(dir + "/queue/write_cache")
	if m.exists(dir + "/device") {
		d.Driver, d.Link = m.bus(m.resolve(dir + "/device"))
	}
}

// bus climbs from a device to its PCI function: the first driver and the first
// link on the way are the device's.
func (m Machine) bus(dir string) (driver string, link *Link) {
	for ; dir != "/" && path.Base(dir) != "devices"; dir = path.Dir(dir) {
		if driver == "" && m.exists(dir+"/driver") {
			driver = filepath.Base(m.resolve(dir + "/driver"))
		}
		if l := m.link(dir); l != nil {
			return driver, l
		}
	}
	return driver, nil
}

// link is a PCI function's link; nil if there is none or it has no speed, as
// with devices that a hypervisor makes up.
func (m Machine) link(dir string) *Link {
	l := &Link{
		Speed:    m.text(dir + "/current_link_speed"),
		MaxSpeed: m.text(dir + "/max_link_speed"),
		Width:    int(number(m.text(dir + "/current_link_width"))),
		MaxWidth: int(number(m.text(dir + "/max_link_width"))),
	}
	if l.GTs() == 0 || l.Width == 0 {
		return nil
	}
	return l
}

// GTs is the speed in use in GT/s per lane, 0 if it is unknown.
func (l *Link) GTs() float64 { return gts(l.Speed) }

// MaxGTs is the highest speed in GT/s per lane, 0 if it is unknown.
func (l *Link) MaxGTs() float64 { return gts(l.MaxSpeed) }

func gts(s string) float64 {
	s, _, _ = strings.Cut(s, " ")
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

// chosen is the bracketed word of "none [mq-deadline] kyber".
func chosen(s string) string {
	_, s, ok := strings.Cut(s, "[")
	if !ok {
		return ""
	}
	s, _, _ = strings.Cut(s, "]")
	return s
}

func itoa(n int) string { return strconv.Itoa(n) }
