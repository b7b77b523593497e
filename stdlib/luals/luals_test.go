package luals

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `---@meta sample
--- A sample
--- of two lines.
---
--- And a paragraph.

---A number.
---@alias Size string|number

--#region first things

---Options.
---@class Options
---@field [1] string the default
---@field mode? "a"|"b" how
---@field [string] table<string, number>

---A thing.
---@class Thing
local Thing = {}

---Does it.
---@generic T
---@param n Size
---@param fn? fun(x: integer, y: T): T what it is done to
---@param ... any
---@return integer? count how many
---@return string
function Thing:go(n, fn, ...) end

--#endregion

local function private(x) return x end

-- A comment.
---Makes one.
---@param options? Options
function sample.make(options)
  ---@type integer
  return nil
end

return sample
`

func TestParse(t *testing.T) {
	f, err := Parse("sample.lua", sample)
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Name: "sample", Doc: "A sample\nof two lines.\n\nAnd a paragraph.",
		Regions: []*Region{
			{Items: []Item{&Alias{Name: "Size", Type: "string|number", Doc: "A number."}}},
			{Title: "first things", Items: []Item{
				&Class{Name: "Options", Doc: "Options.", Fields: []Field{
					{Name: "[1]", Type: "string", Doc: "the default"},
					{Name: "mode", Optional: true, Type: `"a"|"b"`, Doc: "how"},
					{Name: "[string]", Type: "table<string, number>"},
				}},
				&Class{Name: "Thing", Local: "Thing", Doc: "A thing."},
				&Function{
					Of: "Thing", Method: true, Name: "go", Doc: "Does it.", Args: []string{"n", "fn", "..."},
					Params: []Field{
						{Name: "n", Type: "Size"},
						{Name: "fn", Optional: true, Type: "fun(x: integer, y: T): T", Doc: "what it is done to"},
						{Name: "...", Type: "any"},
					},
					Returns: []Return{{"integer?", "count", "how many"}, {Type: "string"}},
				},
			}},
			{Items: []Item{&Function{
				Of: "sample", Name: "make", Doc: "Makes one.", Args: []string{"options"},
				Params: []Field{{Name: "options", Optional: true, Type: "Options"}},
			}}},
		},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if got := f.Methods("Thing"); !cmp.Equal(got, []string{"go"}) {
		t.Errorf("methods %q", got)
	}
	if fd := f.Class("Options").Field("mode"); fd == nil || !fd.Optional {
		t.Errorf("field mode is %v", fd)
	}
}

func TestParseRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"---@meta x\n---@type integer":      "sample.lua:2: @type is not known here",
		"---@meta x\n\n---@field x integer": "sample.lua:3: @field x integer: there is no @class above it",
		"local x = 1":                       "sample.lua: no ---@meta NAME",
	} {
		if _, err := Parse("sample.lua", source); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestSignature(t *testing.T) {
	for _, c := range []struct {
		fn   Function
		want string
	}{
		{Function{Name: "now"}, "now()"},
		{Function{Of: "File", Method: true, Name: "read", Args: []string{"n", "at"}, Params: []Field{{Name: "n"}, {Name: "at", Optional: true}}}, "file:read(n[, at])"},
		{Function{Of: "knee", Name: "f", Args: []string{"a", "b"}, Params: []Field{{Name: "a", Optional: true}, {Name: "b", Optional: true}}}, "knee.f([a[, b]])"},
	} {
		if got := c.fn.Signature(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestReference(t *testing.T) {
	f, err := Parse("sample.lua", sample)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Reference(&b, f, f); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- [First things](#first-things):",
		"**Size** (`string|number`): A number.",
		"- `mode?` *\"a\"\\|\"b\"*: how\n",
		"### `thing:go(n[, fn, ...])`\n\nDoes it.\n\n- `n` *Size*\n",
		"- returns `count` *integer?*: how many\n",
		"#### `sample.make([options])`\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
