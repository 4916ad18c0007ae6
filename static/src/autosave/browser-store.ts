import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { Unsaved } from "./state-machine";

const NAME = "scholium-unsaved";

/** The key of a journal entry: person, section and window. Nobody ever gets another person's entry. */
export interface Place {
  user: string;
  section: string;
  tab: string;
}

/** The unsaved text of one window. */
export interface Entry extends Unsaved, Place {
  at: number; // ms since 1970
}

interface Schema extends DBSchema {
  unsaved: { key: [string, string, string]; value: Entry };
}

/** The texts in this browser that the server has not acknowledged yet (IndexedDB). */
export interface Journal {
  write(entry: Entry): Promise<void>;
  remove(place: Place): Promise<void>;
  /** List the entries of all windows of `user` for `section`, oldest first. */
  unsavedEntries(user: string, section: string): Promise<Entry[]>;
  /** Move a closed window's entry to `tab`. Undefined when it is gone: saved, or taken by another window. */
  claim(left: Place, tab: string): Promise<Entry | undefined>;
}

/** Open the journal. Rejects where the browser stores nothing (forbidden, or a private window). */
export async function openJournal(): Promise<Journal> {
  const database = await openDB<Schema>(NAME, 1, {
    upgrade: (fresh) => void fresh.createObjectStore("unsaved", { keyPath: ["user", "section", "tab"] }),
    // a newer version of the page may change the schema
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
    async unsavedEntries(user, section) {
      // [] sorts after every string: all tabs of this person and section, and nobody else's.
      const found = await database.getAll("unsaved", IDBKeyRange.bound([user, section], [user, section, []]));
      return found.sort((one, other) => one.at - other.at);
    },
    async claim({ user, section, tab: from }, tab) {
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
