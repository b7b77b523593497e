package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// setting is one of LuaLS's, with its value in JSON.
type setting struct{ key, value string }

const librarySetting = "workspace.library"

// ours are the settings that make LuaLS know the DSL, and not what moonio leaves out of Lua.
var ours = []setting{
	{"runtime.version", `"Lua 5.1"`},
	{"runtime.builtin", `{ "debug": "disable", "io": "disable", "os": "disable", "package": "disable" }`},
	{librarySetting, `["` + annotations + `"]`},
	{"workspace.checkThirdParty", `false`},
}

// settingsText is a whole .luarc.json.
func settingsText(list []setting) string { return "{\n" + settingLines(list) + "\n}\n" }

func settingLines(list []setting) string {
	var lines []string
	for _, s := range list {
		lines = append(lines, fmt.Sprintf("  %q: %s", s.key, s.value))
	}
	return strings.Join(lines, ",\n")
}

// mergeSettings adds our settings to a .luarc.json. All that is in it stays as it
// is, letter for letter: a setting of the user's own wins over ours.
func mergeSettings(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte(settingsText(ours)), nil
	}
	fields, start, err := topLevel(text)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"workspace", "Lua", "Lua." + librarySetting} {
		if _, ok := fields[key]; ok {
			return nil, fmt.Errorf("it has %q, which another %q would hide", key, librarySetting)
		}
	}
	lib, hasLib := fields[librarySetting]
	var missing []setting
	for _, s := range ours {
		if _, ok := fields[s.key]; !ok {
			missing = append(missing, s)
		}
	}
	switch {
	case hasLib && lib.list == nil:
		return nil, fmt.Errorf("its %q is not a list", librarySetting)
	case hasLib && !lib.has(annotations):
		text = insert(text, lib.start+1, lib.entry(annotations))
	}
	if len(missing) > 0 {
		comma := ""
		if len(fields) > 0 {
			comma = ","
		}
		text = insert(text, start, "\n"+settingLines(missing)+comma)
	}
	return text, nil
}

// field is a value in an object's text.
type field struct {
	start int // where its text begins
	list  []any
}

func (f field) has(s string) bool {
	for _, v := range f.list {
		if v == any(s) {
			return true
		}
	}
	return false
}

// entry is the text of an entry before the others of a list.
func (f field) entry(s string) string {
	if len(f.list) == 0 {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q, ", s)
}

// topLevel finds the fields of the object that text is, and where its inside begins.
func topLevel(text []byte) (fields map[string]field, start int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, 0, errors.New("it is not a JSON object")
	}
	start = int(d.InputOffset())
	fields = map[string]field{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, 0, fmt.Errorf("it is not plain JSON: %w", err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, 0, fmt.Errorf("it is not plain JSON: %w", err)
		}
		f := field{start: int(d.InputOffset()) - len(raw)}
		// Whatever is no list has no entries.
		_ = json.Unmarshal(raw, &f.list)
		fields[key.(string)] = f
	}
	if _, err := d.Token(); err != nil {
		return nil, 0, fmt.Errorf("it is not plain JSON: %w", err)
	}
	return fields, start, nil
}

func insert(text []byte, at int, s string) []byte {
	return append(append(append([]byte{}, text[:at]...), s...), text[at:]...)
}
