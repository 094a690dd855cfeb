/**
 * What a server says or does wrong without harm, a few times: the rest would fill the disk. Each text is cut.
 */
export function limitedLog(log: (text: string) => void, most: number): (text: string) => void {
  let count = 0;
  return (text) => {
    count += 1;
    if (count <= most) log(text.slice(0, 500));
    if (count === most) log("What follows of this kind is not logged.");
  };
}
