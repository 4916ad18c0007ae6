import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { keysToCite } from "./insert";
import type { Answer } from "./warnings";
import { rowOfReference, rowOfEntry, rowOfWork, type RecognisedEntry, type Row } from "./rows";
import { lookUp, RequestError, search, UNREACHABLE, type Addresses } from "./server";
import { cited, work } from "./works.test-data";

interface SentRequest {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

let server: Server;
let at: Addresses;
let requests: SentRequest[] = [];
let answer: (request: SentRequest) => { status?: number; body: unknown } = () => ({ body: {} });

before(async () => {
  server = createServer((request, response) => {
    let sent = "";
    request.on("data", (chunk: Buffer) => (sent += chunk.toString()));
    request.on("end", () => {
      const one = {
        method: request.method ?? "",
        path: request.url ?? "",
        body: sent ? (JSON.parse(sent) as Record<string, unknown>) : undefined,
      };
      requests.push(one);
      const { status = 200, body } = answer(one);
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(status === 204 ? undefined : typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  at = { look: `${base}/look`, search: `${base}/search?project=1`, add: `${base}/add` };
});
after(() => server.close());
beforeEach(() => (requests = []));

const requestLines = (): string[] => requests.map((one) => `${one.method} ${one.path}`);
const yes = async (): Promise<Answer> => "cite";
const pick = (kind: string, value: string): Row =>
  rowOfEntry({ kind, value, title: "", authors: "", year: null, citation: null } satisfies RecognisedEntry);
const added = (...keys: string[]) => ({
  status: 201,
  body: {
    citations: keys.map((key) => ({ ...cited(), id: `id-${key}`, cite_key: key, diff: [], existing: false })),
    problems: [],
  },
});

test("a work in the library is cited by its key without a request", async () => {
  assert.deepEqual(await keysToCite(at, [rowOfReference(cited()), rowOfReference(cited())], yes), ["okafor2019"]);
  assert.deepEqual(requests, []);
});

test("an unchecked work is checked when it is cited, and a failure of that prevents nothing", async () => {
  answer = () => ({ status: 503, body: {} });
  assert.deepEqual(await keysToCite(at, [rowOfReference({ ...cited(), unchecked: true })], yes), ["okafor2019"]);
  assert.deepEqual(requests, [{ method: "POST", path: "/add/check", body: { citations: ["1"] } }]);
});

test("new works are added together with their neighbours, and the order is kept", async () => {
  answer = ({ body }) => (body?.text ? added("menon2021", "lund2020") : added("berg2018"));
  const rows = [pick("doi", "10.1/a"), pick("pmid", "321"), rowOfReference(cited()), pick("doi", "10.1/c")];
  assert.deepEqual(await keysToCite(at, rows, yes), ["menon2021", "lund2020", "okafor2019", "berg2018"]);
  assert.deepEqual(
    requests.map((one) => one.body),
    [{ text: "10.1/a\nPMID 321" }, { doi: "10.1/c" }],
  );
});

test("BibTeX is not mixed with lines of identifiers", async () => {
  answer = () => added("one");
  await keysToCite(
    at,
    [pick("bibtex", "@misc{a, title={A}}"), pick("bibtex", "@misc{b, title={B}}"), pick("doi", "10.1/c")],
    yes,
  );
  assert.deepEqual(
    requests.map((one) => one.body),
    [{ text: "@misc{a, title={A}}\n@misc{b, title={B}}" }, { doi: "10.1/c" }],
  );
});

test("the published version is cited instead of a preprint", async () => {
  answer = () => added("okafor2020");
  const preprint = { ...work(), preprint: true, published_doi: "10.5555/final.1" };
  assert.deepEqual(await keysToCite(at, [rowOfWork(preprint)], async () => "published"), ["okafor2020"]);
  assert.deepEqual(requests[0]?.body, { doi: "10.5555/final.1" });
  const known = rowOfWork({ ...preprint, published_key: "final2020" });
  assert.deepEqual(await keysToCite(at, [known], async () => "published"), ["final2020"]);
});

test("cancelling inserts nothing and removes added works", async () => {
  assert.equal(await keysToCite(at, [rowOfWork(work())], async () => "leave"), null);
  assert.deepEqual(requests, []);
  answer = ({ method }) => {
    if (method === "DELETE") return { status: 204, body: "" };
    const { body } = added("new", "old");
    body.citations[0]!.retracted = true;
    body.citations[1]!.existing = true;
    return { status: 201, body };
  };
  const seen: string[] = [];
  const ask = async (row: Row): Promise<Answer> => {
    seen.push(row.title);
    return row.retracted ? "leave" : "cite";
  };
  assert.equal(await keysToCite(at, [pick("doi", "10.1/a"), pick("doi", "10.1/b")], ask), null);
  assert.deepEqual(requestLines(), ["POST /add", "DELETE /add/id-new"]);
  assert.equal(seen.length, 3);
});

test("a confirmed retraction is not asked about again", async () => {
  answer = () => {
    const made = added("okafor2019");
    made.body.citations[0]!.retracted = true;
    return made;
  };
  let times = 0;
  const ask = async (): Promise<Answer> => (times++, "cite");
  assert.deepEqual(await keysToCite(at, [rowOfWork({ ...work(), retracted: true })], ask), ["okafor2019"]);
  assert.equal(times, 1);
});

test("a failed addition has the server's message", async () => {
  answer = () => ({ status: 422, body: { error: { message: "“x” is not a DOI." } } });
  await assert.rejects(keysToCite(at, [pick("doi", "x")], yes), new RequestError("“x” is not a DOI."));
  answer = () => ({ status: 201, body: { citations: [], problems: [{ line: 1, key: "", message: "Too long." }] } });
  await assert.rejects(keysToCite(at, [pick("doi", "x")], yes), new RequestError("Too long."));
});

test("a failed search rejects with its reason, an aborted one with its abort error", async () => {
  answer = () => ({ status: 504, body: { error: { message: "PubMed did not answer within 8 seconds." } } });
  const asks = (signal = new AbortController().signal) => search(at, { source: "pubmed", q: "alder & soil" }, signal);
  await assert.rejects(asks(), new RequestError("PubMed did not answer within 8 seconds."));
  assert.equal(requests[0]?.path, "/search?project=1&q=alder+%26+soil&source=pubmed&limit=10");
  answer = () => ({ status: 500, body: "<html>" });
  await assert.rejects(asks(), /Something went wrong on the server/);
  answer = () => ({ status: 401, body: {} });
  await assert.rejects(asks(), /signed out/);
  const gone = { ...at, look: "http://127.0.0.1:9/look" };
  await assert.rejects(lookUp(gone, "alder", new AbortController().signal), new RequestError(UNREACHABLE));
  const given = new AbortController();
  given.abort();
  await assert.rejects(asks(given.signal), (error: Error) => !(error instanceof RequestError));
});
