package run

import (
	"os"
	"testing"
)

func TestTraffic(t *testing.T) {
	for _, device := range []string{"", "no-such-device"} {
		var n traffic
		n.begin(device)
		if got := n.end(); got != nil {
			t.Errorf("%q: %+v", device, got)
		}
	}
	devices, err := os.ReadDir("/sys/class/block")
	if err != nil || len(devices) == 0 {
		t.Skip("NOT TESTED: no block device is in sight here")
	}
	var n traffic
	n.begin(devices[0].Name())
	got := n.end()
	if got == nil || got.Device != devices[0].Name() || got.DurationNS < 0 || got.Reads < 0 || got.WriteBytes < 0 {
		t.Errorf("%+v", got)
	}
}
