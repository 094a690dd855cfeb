--- Whether Parley's colours are those of Neovim's tree-sitter highlighter: compares every cell of the screen.
local M = {}

local colours = require("parley.colours")
local frames = require("parley.colours.frames")
local config = require("parley.config")

-- Neovim parses all of it before it draws.
vim.g._ts_force_sync_parsing = true

local atoms = vim.split([[
# head
text *em* and **bold** `code` [link](http://a.b/c) ![i](x)



- item
  more
  - nested
1. one
2. two
> quote
> - q item
> ```lua
> local x = 1
> ```
```lua
local function f(a) return a .. 'x' end -- c
end
```
````
~~~
~~~vim
let x = 1
    indented code
    ```
  ```lua
  local y = 2
  ```
- ```
- ```c
* * *
---
***
===
| a | b |
|---|---|
| 1 | `2` |
<div>
</div>
<!-- c
-->
<!-- one -->
<pre>
</pre>
<b>x</b> text
<script>
</script>
<?php
?>
[ref]: http://x.y
[ref]
**open
closed**
`open
- [ ] task
- [x] done
	tab
+++
5) five
   three
\* escaped
&amp; <http://auto.link>
🧠: thought
❓: `{"id":1}`
   <!-- ind
  -->
Setext
-
      ```
a  
```c
int main(void) { return 0; }
]] .. "]]" .. [[

"""
--[[
``` not ` fence
1. ```lua
   local z = 3
   ```
<details><summary>S</summary>
</details>]], "\n", { plain = true })

local function use(name)
  config.get().highlight = name
  colours.look(vim.api.nvim_get_current_buf())
end

--- The attributes of all cells, row by row.
local function cells(command)
  vim.cmd(command)
  local rows = {}
  for row = 1, vim.o.lines - 2 do
    local cells_of = {}
    for column = 1, 60 do
      cells_of[column] = vim.fn.screenattr(row, column)
    end
    rows[row] = table.concat(cells_of, " ")
  end
  return rows
end

--- Until what is long is parsed, too.
local function settle()
  vim.cmd("redraw")
  local state = frames.of(vim.api.nvim_get_current_buf())
  vim.wait(5000, function()
    return #state.late == 0 and not (state.timer and state.timer:is_active())
  end, 5)
  vim.wait(10)
end

local function first_difference(one, other)
  for row, text in ipairs(one) do
    if text ~= other[row] then
      return row
    end
  end
end

--- What differs on the screen as it is: between what is drawn after changes and what is drawn anew, and between
--- that and Neovim's own highlighter.
local function differences()
  settle()
  local after_changes = cells("redraw")
  local anew = cells("redraw!")
  use("treesitter")
  local buf = vim.api.nvim_get_current_buf()
  assert(vim.treesitter.highlighter.active[buf], "Neovim's own does not work")
  local own = cells("redraw!")
  use("parley")
  assert(not vim.treesitter.highlighter.active[buf], "Neovim's own works still")
  vim.cmd("redraw!")
  local stale, wrong = first_difference(after_changes, anew), first_difference(own, anew)
  if stale or wrong then
    local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    return { stale = stale, wrong = wrong, top = vim.fn.line("w0"), lines = lines }
  end
end

local function show(lines)
  vim.cmd("enew!")
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].filetype = "markdown"
  if not vim.treesitter.highlighter.active[buf] then
    vim.treesitter.start(buf, "markdown")
  end
  colours.attach(buf)
  assert(frames.of(buf), "the colours are not Parley's")
end

local function close()
  local buf = vim.api.nvim_get_current_buf()
  colours.detach(buf)
  vim.cmd("bwipeout!")
end

--- Every screen of a text.
function M.text(lines)
  show(lines)
  local found = {}
  for top = 1, #lines, 30 do
    vim.fn.winrestview({ topline = top, lnum = top })
    found[#found + 1] = differences()
  end
  close()
  return found
end

--- A screen of a text that was in a closed fold, and is open.
function M.unfolded(lines)
  show(lines)
  vim.wo.foldmethod = "manual"
  vim.cmd("normal! gg")
  vim.cmd(("4,%dfold"):format(#lines - 4))
  settle()
  vim.cmd("normal! zR")
  local found = differences()
  close()
  return { found }
end

local function any(list)
  return list[math.random(#list)]
end

local function edit_somewhere()
  local count = vim.api.nvim_buf_line_count(0)
  local kind, row = math.random(5), math.random(count) - 1
  if kind == 1 then
    vim.api.nvim_buf_set_lines(0, row + 1, row + 1, false, { any(atoms) })
  elseif kind == 2 and count > 3 and row > 0 then
    vim.api.nvim_buf_set_lines(0, row, row + 1, false, {})
  elseif kind == 3 and row > 0 then
    local column = math.random(#vim.fn.getline(row + 1) + 1) - 1
    local typed = any({ "*", "`", "x", "**", " ", "<", "-", "```", ">" })
    vim.api.nvim_buf_set_text(0, row, column, row, column, { typed })
  elseif kind == 4 then
    vim.cmd("silent! undo")
  elseif row > 0 then
    vim.api.nvim_buf_set_lines(0, row, row + 1, false, { any(atoms) })
  end
end

--- Texts of which nobody thought, and edits in them.
function M.random(seed, texts)
  math.randomseed(seed)
  local found = {}
  for _ = 1, texts do
    local lines = { "💬: go" }
    for _ = 1, math.random(36) do
      table.insert(lines, any(atoms))
    end
    show(lines)
    for _ = 1, 4 do
      local difference = differences()
      if difference then
        table.insert(found, difference)
        break
      end
      edit_somewhere()
    end
    close()
  end
  return found
end

--- Counts what is parsed as text from now on.
function M.count()
  local get = vim.treesitter.get_string_parser
  M.parses, M.bytes = 0, 0
  vim.treesitter.get_string_parser = function(text, ...)
    M.parses, M.bytes = M.parses + 1, M.bytes + #text
    return get(text, ...)
  end
end

return M
