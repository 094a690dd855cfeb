--- Written by `npm run docs` from src/host/messages.ts and src/host/lua-calls.ts: the messages that Lua
--- sends to the host, and the functions that the host calls.
---@meta

---@class parley.SetupMessage
---@field action "setup"
---@field root string
---@field configuration? any
---@field keys table<string, string[]>
---@field config_dir string
---@field state_dir string
---@field data_dir string
---@field log_dir string
---@field cwd string
---@field nvim? string
---@field version? string

---@class parley.ConfigurationSavedMessage
---@field action "configuration_saved"

---@class parley.KeyMessage
---@field action "key"
---@field buf integer
---@field key "ya"|"yA"|"yo"|"yO"|"yn"|"yN"
---@field line integer
---@field tick number
---@field shown { line: integer, text: string, tool: string, effect: string }[]
---@field reason? string

---@class parley.AttachMessage
---@field action "attach"
---@field buf integer
---@field path string

---@class parley.DetachMessage
---@field action "detach"
---@field buf integer

---@class parley.RespondMessage
---@field action "respond"
---@field buf integer
---@field line integer
---@field tick? number

---@class parley.ListToolsMessage
---@field action "list_tools"
---@field buf integer

---@class parley.StopMessage
---@field action "stop"
---@field buf integer

---@class parley.StopCallMessage
---@field action "stop_call"
---@field buf integer
---@field line integer

---@class parley.CompleteMessage
---@field action "complete"
---@field server? string
---@field prompts? boolean
---@field models? boolean
---@field tools? boolean

---@class parley.DetailsMessage
---@field action "details"
---@field buf integer
---@field line integer
---@field text string

---@class parley.RetryMessage
---@field action "retry"
---@field buf integer
---@field line integer

---@class parley.CommandMessage
---@field action "command"
---@field buf integer
---@field name string
---@field args? string[]
---@field line? integer

---@class parley.AnswerMessage
---@field action "answer"
---@field id integer
---@field value? any

---@class parley.ChatsMessage
---@field action "chats"
---@field id integer
---@field query string
---@field texts boolean
---@field refresh boolean
---@field all? boolean

---@class parley.ChatMoveMessage
---@field action "chat_move"
---@field path string
---@field folder? string
---@field name? string
---@field tick? number

---@class parley.ChatTagsMessage
---@field action "chat_tags"
---@field path string
---@field tags string

---@class parley.ChatNextMessage
---@field action "chat_next"
---@field path string

---@class parley.CwdMessage
---@field action "cwd"
---@field cwd string

---@class parley.SavedMessage
---@field action "saved"
---@field buf integer

---@class parley.HealthMessage
---@field action "health"
---@field id integer

---@alias parley.Message
---| parley.SetupMessage
---| parley.ConfigurationSavedMessage
---| parley.KeyMessage
---| parley.AttachMessage
---| parley.DetachMessage
---| parley.RespondMessage
---| parley.ListToolsMessage
---| parley.StopMessage
---| parley.StopCallMessage
---| parley.CompleteMessage
---| parley.DetailsMessage
---| parley.RetryMessage
---| parley.CommandMessage
---| parley.AnswerMessage
---| parley.ChatsMessage
---| parley.ChatMoveMessage
---| parley.ChatTagsMessage
---| parley.ChatNextMessage
---| parley.CwdMessage
---| parley.SavedMessage
---| parley.HealthMessage

---@class parley.Edit
---@field start integer
---@field end integer
---@field lines string[]
---@field total? integer
---@field replaces? string

---@class parley.View
---@field status { kind: "progress"|"waiting"|"error"|"info", text: string, shorter?: string[], line?: integer, wait_ms?: number, elapsed_ms?: number, stop?: string }|nil
---@field calls parley.ShownCall[]
---@field running { line: integer, text: string, elapsed_ms: number, stop: string }[]
---@field unfinished_line integer|nil
---@field diagnostics ({ line: integer, col: integer, level: "error"|"warning"|"info", code: string, message: string })[]
---@field usage { text: string, line?: integer }|nil
---@field context { used: integer, window: integer }|nil
---@field statusline string
---@field keys boolean

---@class parley.ShownCall
---@field line integer
---@field text string
---@field tool string
---@field effect string
---@field pending boolean
---@field row string
---@field whole boolean
---@field lines string[]
---@field cut boolean
---@field full string[]

---@class parley.Question
---@field kind "select"|"input"|"confirm"|"form"
---@field prompt string
---@field details? string[]
---@field items? (string|{ label: string, value: string|number })[]
---@field page? parley.Page
---@field default? string
---@field secret? boolean
---@field patient? boolean

---@class parley.Page
---@field title string
---@field lines string[]
---@field cursor integer
---@field completions table<string, string[]>

---@class parley.OutlineRow
---@field line integer
---@field text string

---@class parley.ChangedPlace
---@field path string
---@field line integer
---@field text string

---@class parley.Completions
---@field servers? string[]
---@field prompts? string[]
---@field models? string[]
---@field tools? string[]
---@field server? string
---@field resources? { word: string, about: string }[]

---@class parley.ChatsAnswer
---@field id integer
---@field rows parley.ChatRow[]
---@field found integer
---@field all integer
---@field reading boolean

---@class parley.ChatRow
---@field path string
---@field sign string
---@field topic string
---@field model string
---@field age string
---@field tags string
---@field cost string

---@class parley.HealthLine
---@field level "ok"|"info"|"warn"|"error"
---@field text string
---@field fix? string

--- The functions that the host calls, by name.
---@class parley.Calls
---@field apply fun(buf: integer, tick: number, edits: parley.Edit[], group: string): { status: "applied"|"held"|"stale"|"differs"|"gone"|"failed", tick?: number, message?: string }
---@field tip_open fun(buf: integer, tick: number, line: integer, answer_line: integer, group: string, edits: parley.Edit[], saves: boolean): { status: "opened"|"held"|"stale"|"differs"|"gone"|"failed"|"unsaved", tick?: number, message?: string, id?: integer, saved?: { status: "saved"|"reloaded"|"conflict"|"unnamed"|"failed", tick?: number, message?: string } }
---@field tip_write fun(buf: integer, id: integer, expected: string, text: string, group: string): { status: "written"|"moved"|"held"|"gone", prefix?: string, line?: integer, tick?: number }
---@field tip_line fun(buf: integer, id: integer): integer|nil
---@field tip_mark fun(buf: integer, id: integer, group: string, restore: boolean): integer|nil
---@field tip_close fun(buf: integer, id: integer)
---@field save fun(buf: integer, quick: boolean): { status: "saved"|"reloaded"|"conflict"|"unnamed"|"failed", tick?: number, message?: string }
---@field reread fun(buf: integer): { status: "reloaded"|"same"|"modified", tick?: number, message?: string }
---@field show fun(buf: integer, tick: number, view: parley.View): { status: "shown"|"stale"|"gone", tick?: number }
---@field follow fun(buf: integer, line: integer)
---@field refuse fun(buf: integer, line: integer, message: string)
---@field ask fun(id: integer, question: parley.Question)
---@field form_mistakes fun(id: integer, mistakes: { line: integer, text: string }[])
---@field withdraw fun(id: integer)
---@field open_address fun(address: string): { status: "opened"|"failed", message?: string }
---@field notify fun(level: "info"|"warn"|"error", message: string)
---@field tell fun(buf: integer, level: "info"|"warn"|"error", message: string)
---@field event fun(name: string, data: table<string, any>)
---@field open fun(what: string|string[], options: { title: string, filetype?: string, files?: string[] })
---@field outline fun(buf: integer, rows: parley.OutlineRow[])
---@field changes fun(places: parley.ChangedPlace[])
---@field completions fun(completions: parley.Completions)
---@field chats fun(answer: parley.ChatsAnswer)
---@field chat_moved fun(from: string, to: string, tick: number|nil, is_deleted: boolean): { has_all: boolean, is_newer: boolean }
---@field chat_rewritten fun(path: string)
---@field chats_changed fun()
---@field chat_next fun(path: string|nil)
---@field float fun(lines: string[], title: string)
---@field tools_board fun(buf: integer, lines: string[], ids: string[])
---@field health_report fun(id: integer, report: { lines: parley.HealthLine[] })
---@field workspace_read fun(path: string): { text: string, modified: boolean }|nil
---@field workspace_write fun(path: string, expected: string|nil, text: string): { text?: string, message?: string }
---@field workspace_diagnostics fun(path: string|nil): ({ path: string, line: number, column: number, severity: "error"|"warning"|"info"|"hint", message: string, source: string })[]
---@field workspace_open fun(): string[]
---@field workspace_quickfix fun(): { path?: string, line: number, text: string }[]
---@field configured fun(): { keys: table<string, string[]> }
---@field ready fun(channel: integer)
