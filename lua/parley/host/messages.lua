--- Written by `npm run docs` from src/host/protocol.ts: what this half tells the host.
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
---@field nvim string
---@field version? string

---@class parley.KeyMessage
---@field action "key"
---@field buf integer
---@field key "ya"|"yA"|"yo"|"yO"|"yn"|"yN"
---@field line integer
---@field tick number
---@field shown { line: integer, text: string, tool: string, effect: string }[]
---@field reason? string
---@field listed? boolean

---@class parley.AttachMessage
---@field action "attach"
---@field buf integer
---@field path string
---@field tick? number

---@class parley.DetachMessage
---@field action "detach"
---@field buf integer

---@class parley.RespondMessage
---@field action "respond"
---@field buf integer
---@field line integer
---@field tick? number

---@class parley.StopMessage
---@field action "stop"
---@field buf integer

---@class parley.StopCallMessage
---@field action "stop_call"
---@field buf integer
---@field line integer

---@class parley.OffersMessage
---@field action "offers"
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
---@field to? string

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
---| parley.KeyMessage
---| parley.AttachMessage
---| parley.DetachMessage
---| parley.RespondMessage
---| parley.StopMessage
---| parley.StopCallMessage
---| parley.OffersMessage
---| parley.DetailsMessage
---| parley.RetryMessage
---| parley.CommandMessage
---| parley.AnswerMessage
---| parley.ChatsMessage
---| parley.ChatMoveMessage
---| parley.ChatNextMessage
---| parley.CwdMessage
---| parley.SavedMessage
---| parley.HealthMessage
