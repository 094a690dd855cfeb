/** Whether the event loop goes on turning while something is done: what is done on this thread lets no turn come. */
export async function turnsOf<Result>(
  work: Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { result: await work, turns };
  } finally {
    isOver = true;
  }
}
