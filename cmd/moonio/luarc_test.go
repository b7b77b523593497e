package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMergeSettings(t *testing.T) {
	const rest = `"runtime.version": "x", "runtime.builtin": {}, "workspace.checkThirdParty": true`
	for _, c := range []struct{ text, want, err string }{
		{"", settingsText(ours), ""},
		{settingsText(ours), settingsText(ours), ""},
		{"{}", "{\n" + settingLines(ours) + "}", ""},
		{"{\"a\": 1}", "{\n" + settingLines(ours) + ",\"a\": 1}", ""},
		// The user's own stays, letter for letter.
		{`{` + rest + `, "workspace.library" : [ "mine" ] }`, `{` + rest + `, "workspace.library" : [".luals",  "mine" ] }`, ""},
		{`{` + rest + `, "workspace.library":[]}`, `{` + rest + `, "workspace.library":[".luals"]}`, ""},
		{`{` + rest + `, "workspace.library":["a",".luals"]}`, `{` + rest + `, "workspace.library":["a",".luals"]}`, ""},

		{"{ // comment\n}", "", "not plain JSON"},
		{`{"a": 1`, "", "not plain JSON"},
		{`["a"]`, "", "not a JSON object"},
		{`{"workspace.library": "a"}`, "", `its "workspace.library" is not a list`},
		{`{"workspace": {"library": []}}`, "", `it has "workspace"`},
		{`{"Lua.workspace.library": []}`, "", `it has "Lua.workspace.library"`},
	} {
		got, err := mergeSettings([]byte(c.text))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%s becomes\n%s\nnot\n%s\n(%v)", c.text, got, c.want, err)
		}
		if !json.Valid(got) {
			t.Errorf("%s is not JSON", got)
		}
	}
}
