import type { ChatPorts } from "../conversation/chat.ts";

/** Counts the model requests of the whole run, whatever turns it consists of. */
export interface Budget {
  /** The limit of each turn is what is left. */
  nextTurn(): void;
  asked(): number;
  around(stream: ChatPorts["stream"]): Pick<ChatPorts, "stream" | "limits">;
}

export function createBudget(maxSteps: number): Budget {
  let asked = 0;
  let askedBefore = 0;
  return {
    nextTurn() {
      askedBefore = asked;
    },
    asked: () => asked,
    around: (stream) => ({
      limits: () => ({ modelCalls: maxSteps - askedBefore }),
      stream: (request, options) => {
        asked += 1;
        return stream(request, options);
      },
    }),
  };
}
