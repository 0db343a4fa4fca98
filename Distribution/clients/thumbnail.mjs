// Downloads a thumbnail with Node's built-in fetch.
//   node thumbnail.mjs http://127.0.0.1:8780 https://example.org/a.jpg 200 200 a.jpg
import { writeFile } from "node:fs/promises";

const [server, url, width, height, file] = process.argv.slice(2);
const query = new URLSearchParams();
query.set("w", width);
query.set("h", height);
// URLSearchParams writes a space as '+', which the server reads as a plus: encode the URL separately.
const answer = await fetch(`${server}/thumb?url=${encodeURIComponent(url)}&${query}`);
if (!answer.ok) {
  const problem = await answer.json();
  console.error(`${answer.status} ${problem.code}: ${problem.detail}`);
  process.exit(1);
}
await writeFile(file, Buffer.from(await answer.arrayBuffer()));
