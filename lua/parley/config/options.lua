--- Written by `npm run docs` from the table of options: what `setup()` takes, and what this half reads before the
--- host runs, with a JSON schema for each.

---@class parley.Options
---@field model? string The model of chats that name none, as `provider/id`. Default: that of the first vendor with a key, else mock/demo, which works offline.
---@field system_prompt? string The text that goes before every chat. Default: to answer in Markdown, and to end with a 📝: line.
---@field tools? string Which tools are offered: servers, `server.tool` and tools with commas between them; `-` before one removes it; `none` is none. Default: all, but the built-in mock server only to mock/* models.
---@field tool_choice? string Whether the model must call a tool: `auto`, `required`, `none` or the name of a tool. `required` and a name hold for the first request of a turn. Default: the provider's.
---@field parallel_tool_calls? boolean Whether a model may propose several calls at once. Default: the provider's.
---@field max_full_exchanges? integer Exchanges that are sent in full; of older ones only the `📝:` summary is. Default: 42.
---@field max_tokens? integer The longest answer of one request, in tokens. Default: the model's own.
---@field reasoning_effort? "none"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max" How much a model thinks before it answers. The nearest that the model knows is asked for; what it then shows of its thoughts stands behind `🧠:`. Default: the model's own.
---@field temperature? number As the provider means it; a model that takes none gets none, with a notice. Default: the model's own.
---@field top_p? number As the provider means it; a model that takes none gets none, with a notice. Default: the model's own.
---@field server_tools? string[] Tools that the vendor runs itself. Default: none.
---@field tool_protocol? "auto"|"native"|"smiley"|"delimited"|"json"|"hermes" How tool calls are written. Default: "auto".
---@field chat_dirs? string|string[] Folders whose files may be chats; the first is for new ones. `~` and `$NAME` are put in. Default: stdpath("data")/parley.
---@field chat_dir? string|string[] The same for one folder. Default: see chat_dirs.
---@field keys? parley.Keys Keys of chats by their names: a key, a list of keys, or `false` for none; `preset` takes a set of keys. Default: see :help parley-keys.
---@field global_keys? parley.Keys Keys that exist in every buffer, by the same names. Default: none.
---@field stream_highlight? boolean Leave tree-sitter highlighting on while an answer streams. It costs several milliseconds for every write. Default: false.
---@field connect_ahead? boolean|"always" Open the connection to the vendor while you type, so that the question leaves at once. Nothing is sent over it. `true`: to vendors that this Neovim asked before; `"always"`: to any; `false`: never. Default: true.
---@field fold_results? integer|false Fold results with more lines than this, and step lines with data; `false` folds nothing. Folds are made in windows where 'foldmethod' is "manual". Default: 12.
---@field fold_calls? boolean Show each settled call with its result as one row, which opens while the cursor is in it. Another 'foldmethod' is set aside in the windows of chats. Default: true.
---@field follow? boolean Let the cursor go with the answer after you responded or decided, until you move, scroll or type; and with a window on the last line. `false`: it goes to the next open call, and nowhere else by itself. Default: true.
---@field agents? table<string, parley.Agent> Presets by name. `:Parley agent` writes one into a chat's header, in place of a model that was chosen before; other lines of the header win over it. Default: none.
---@field agent? string The agent of chats whose header names none. Default: none.
---@field models? table<string, parley.Preset> Presets by `provider/id`, for that model wherever it is asked; an agent and a header win over them. Default: none.
---@field system_prompts? table<string, string> Texts by name, for `:Parley system_prompt`. Default: none.
---@field tool_files? string|string[] A file or a list of files with tools of your own. Relative paths begin at the folder of config.json; `{}` is no file. Default: tools.mjs in that folder, if it is there.
---@field auto_approve? string Tools, as in `tools`, whose calls run without a key. Default: "none".
---@field rules? parley.Rules What to do with calls. Default: every call is asked about.
---@field tool_timeout? number Seconds that a tool may take. Default: 60.
---@field result_limit? integer Bytes of a result that are kept in the chat; the whole is written beside it. Default: 65536.
---@field max_model_calls? integer Requests in one turn before it stops. Default: 25.
---@field max_retries? integer How often a request that nothing came back for is sent again; at most 10. Default: 3.
---@field idle_timeout? number Seconds that an answer may be silent before its connection is closed. Default: 120.
---@field prices? table<string, parley.Price> Prices by `provider/id`, in place of the known ones, in dollars per million tokens. Default: the known ones.
---@field providers? table<string, parley.Provider> By vendor. A key may be a command as a list of words, which is run without a shell. Without it $OPENAI_API_KEY, $OPENAI_BASE_URL and the like are used. Default: the known vendors.
---@field mcp? parley.Mcp `servers` are your own; `mock` offers the built-in mock server to every model and not only to `mock/*`; `sampling` (:help parley-mcp-sampling) lets servers ask for answers. Default: no servers.
---@field image_commands? parley.ImageCommands Programs as lists of words, run without a shell, which print an image (PNG, JPEG, GIF, WebP) or write it to the file that stands for `{file}`. Default: the first of wl-paste, xclip, pngpaste and powershell.exe for the clipboard.

---@class parley.Keys
---@field respond? string|string[]|false
---@field stop? string|string[]|false
---@field retry? string|string[]|false
---@field new? string|string[]|false
---@field help? string|string[]|false
---@field approve_all? string|string[]|false
---@field approve_always? string|string[]|false
---@field approve_one? string|string[]|false
---@field approve_always_one? string|string[]|false
---@field deny_one? string|string[]|false
---@field deny_all? string|string[]|false
---@field details? string|string[]|false

---@class parley.Agent
---@field model? string The model of chats that name none, as `provider/id`.
---@field system_prompt? string The text that goes before every chat.
---@field tools? string Which tools are offered: servers, `server.tool` and tools with commas between them; `-` before one removes it; `none` is none.
---@field tool_choice? string Whether the model must call a tool: `auto`, `required`, `none` or the name of a tool. `required` and a name hold for the first request of a turn.
---@field parallel_tool_calls? boolean Whether a model may propose several calls at once.
---@field max_full_exchanges? integer Exchanges that are sent in full; of older ones only the `📝:` summary is.
---@field max_tokens? integer The longest answer of one request, in tokens.
---@field reasoning_effort? "none"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max" How much a model thinks before it answers. The nearest that the model knows is asked for; what it then shows of its thoughts stands behind `🧠:`.
---@field temperature? number As the provider means it; a model that takes none gets none, with a notice.
---@field top_p? number As the provider means it; a model that takes none gets none, with a notice.
---@field server_tools? string[] Tools that the vendor runs itself.
---@field tool_protocol? "auto"|"native"|"smiley"|"delimited"|"json"|"hermes" How tool calls are written.
---@field label? string Stands in the brackets of the agent's `🤖:` lines, in place of the model's id.
---@field description? string For the list of `:Parley agent`.

---@class parley.Preset
---@field system_prompt? string The text that goes before every chat.
---@field tools? string Which tools are offered: servers, `server.tool` and tools with commas between them; `-` before one removes it; `none` is none.
---@field tool_choice? string Whether the model must call a tool: `auto`, `required`, `none` or the name of a tool. `required` and a name hold for the first request of a turn.
---@field parallel_tool_calls? boolean Whether a model may propose several calls at once.
---@field max_full_exchanges? integer Exchanges that are sent in full; of older ones only the `📝:` summary is.
---@field max_tokens? integer The longest answer of one request, in tokens.
---@field reasoning_effort? "none"|"minimal"|"low"|"medium"|"high"|"xhigh"|"max" How much a model thinks before it answers. The nearest that the model knows is asked for; what it then shows of its thoughts stands behind `🧠:`.
---@field temperature? number As the provider means it; a model that takes none gets none, with a notice.
---@field top_p? number As the provider means it; a model that takes none gets none, with a notice.
---@field server_tools? string[] Tools that the vendor runs itself.
---@field tool_protocol? "auto"|"native"|"smiley"|"delimited"|"json"|"hermes" How tool calls are written.

---@class parley.Rules
---@field allow? (string|parley.Rule)[]
---@field ask? (string|parley.Rule)[]
---@field deny? (string|parley.Rule)[]

---@class parley.Price
---@field input number
---@field output number
---@field cache_read? number
---@field cache_write? number

---@class parley.Provider
---@field headers? table<string, string>
---@field query? table<string, string>
---@field extra_body? table<string, any>
---@field models? table<string, parley.Preset>
---@field api_key? string|string[]
---@field base_url? string
---@field api? "openai-chat"|"openai-responses"|"anthropic-messages"
---@field compat? parley.Compat

---@class parley.Mcp
---@field mock? boolean
---@field sampling? "off"|"ask"
---@field servers? table<string, any>

---@class parley.ImageCommands
---@field clipboard? string[]
---@field capture? string[]

---@class parley.Rule
---@field tool string
---@field arguments? table<string, string>

---@class parley.Compat
---@field max_tokens_field? "max_tokens"|"max_completion_tokens"
---@field developer_role? boolean|string
---@field native_tools? boolean|string
---@field tool_choices? ("auto"|"none"|"required"|"tool")[]
---@field parallel_field? false|string
---@field max_tools? integer
---@field tool_description_length? integer
---@field call_id_length? integer
---@field inline_references? boolean
---@field temperature? boolean|string
---@field top_p? boolean|string
---@field reasoning_effort? boolean|string
---@field usage_in_stream? boolean
---@field vision? boolean|string

return {
  chat_dirs = {
    default = {},
    schema = {
      anyOf = {
        {
          type = "string",
          minLength = 1,
        },
        {
          type = "array",
          items = {
            type = "string",
            minLength = 1,
          },
        },
      },
    },
  },
  chat_dir = {
    default = nil,
    schema = {
      anyOf = {
        {
          type = "string",
          minLength = 1,
        },
        {
          type = "array",
          items = {
            type = "string",
            minLength = 1,
          },
        },
      },
    },
  },
  keys = {
    default = {},
    schema = {
      type = "object",
      properties = {
        respond = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        stop = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        retry = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        new = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        help = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_all = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_always = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_always_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        deny_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        deny_all = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        details = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        preset = {
          anyOf = {
            {
              type = "string",
              enum = {
                "one",
              },
            },
            {
              type = "array",
              items = {
                type = "string",
                enum = {
                  "one",
                },
              },
            },
          },
        },
      },
      additionalProperties = false,
    },
  },
  global_keys = {
    default = {},
    schema = {
      type = "object",
      properties = {
        respond = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        stop = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        retry = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        new = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        help = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_all = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_always = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        approve_always_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        deny_one = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        deny_all = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
        details = {
          anyOf = {
            {
              type = "string",
              minLength = 1,
            },
            {
              type = "array",
              items = {
                type = "string",
                minLength = 1,
              },
            },
            {
              type = "boolean",
              const = false,
            },
          },
        },
      },
      additionalProperties = false,
    },
  },
  stream_highlight = {
    default = false,
    schema = {
      type = "boolean",
    },
  },
  fold_results = {
    default = 12,
    schema = {
      anyOf = {
        {
          type = "integer",
          exclusiveMinimum = 0,
        },
        {
          type = "boolean",
          const = false,
        },
      },
    },
  },
  fold_calls = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
  follow = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
}
