import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { Unsaved } from "./state-machine";

const NAME = "scholium-unsaved";

/** Whose text of which section, typed in which window. Nobody is ever given what is kept of another person. */
export interface Place {
  user: string;
  section: string;
  tab: string;
}

export interface Entry extends Unsaved, Place {
  at: number; // ms since 1970
}

interface Schema extends DBSchema {
  unsaved: { key: [string, string, string]; value: Entry };
}

/** What this browser keeps of texts that no server has acknowledged yet (IndexedDB). */
export interface Journal {
  write(entry: Entry): Promise<void>;
  remove(place: Place): Promise<void>;
  /** What all windows of `user` left of `section`, oldest first. */
  left(user: string, section: string): Promise<Entry[]>;
  /** Make what a closed window left that of `tab`. Undefined when it is gone: saved, or taken up by another window. */
  takeUp(left: Place, tab: string): Promise<Entry | undefined>;
}

/** Rejects where the browser keeps nothing (forbidden, or a private window that has none). */
export async function openJournal(): Promise<Journal> {
  const database = await openDB<Schema>(NAME, 1, {
    upgrade: (fresh) => void fresh.createObjectStore("unsaved", { keyPath: ["user", "section", "tab"] }),
    // a newer page may change what is kept how
    blocking: (_now, _asked, event) => (event.target as IDBDatabase).close(),
  });
  return journalIn(database);
}

function journalIn(database: IDBPDatabase<Schema>): Journal {
  return {
    async write(entry) {
      await database.put("unsaved", entry);
    },
    async remove({ user, section, tab }) {
      await database.delete("unsaved", [user, section, tab]);
    },
    async left(user, section) {
      // [] sorts after every string: all tabs of this person and section, and nobody else's.
      const found = await database.getAll("unsaved", IDBKeyRange.bound([user, section], [user, section, []]));
      return found.sort((one, other) => one.at - other.at);
    },
    async takeUp({ user, section, tab: from }, tab) {
      const transaction = database.transaction("unsaved", "readwrite");
      const found = await transaction.store.get([user, section, from]);
      if (found) {
        await transaction.store.put({ ...found, tab });
        await transaction.store.delete([user, section, from]);
      }
      await transaction.done;
      return found && { ...found, tab };
    },
  };
}
