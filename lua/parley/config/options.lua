--- Written by `npm run docs` from the table of options: what this half reads before the host runs, with a JSON schema
--- for each.

---@type table<string, { default: any, schema: table }>
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
        chats = {
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
        next = {
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
        rename = {
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
        move = {
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
        tags = {
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
        delete = {
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
        model = {
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
        agent = {
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
        system_prompt = {
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
        web_search = {
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
        follow = {
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
        respond_all = {
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
        apply = {
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
        copy = {
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
        quote = {
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
        define = {
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
        branch = {
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
        tree = {
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
        export = {
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
        follow_link = {
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
        outline = {
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
        next_turn = {
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
        previous_turn = {
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
        next_call = {
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
        previous_call = {
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
        around_exchange = {
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
        inner_exchange = {
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
        around_answer = {
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
        inner_answer = {
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
        around_code = {
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
        inner_code = {
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
              enum = { "one", "parley.nvim" },
            },
            {
              type = "array",
              items = {
                type = "string",
                enum = { "one", "parley.nvim" },
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
        chats = {
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
        next = {
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
        rename = {
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
        move = {
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
        tags = {
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
        delete = {
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
        model = {
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
        agent = {
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
        system_prompt = {
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
        web_search = {
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
        follow = {
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
        respond_all = {
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
        apply = {
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
        copy = {
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
        quote = {
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
        define = {
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
        branch = {
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
        tree = {
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
        export = {
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
        follow_link = {
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
        outline = {
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
        next_turn = {
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
        previous_turn = {
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
        next_call = {
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
        previous_call = {
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
        around_exchange = {
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
        inner_exchange = {
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
        around_answer = {
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
        inner_answer = {
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
        around_code = {
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
        inner_code = {
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
  turn_rule = {
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
