// The Draft panel beside the text: the draft commands, and proposals that can be watched, taken or discarded.
import { setUpDraftMenu } from "./drafting/commands";
import "./drafting/proposal";
import "./drafting/support";

setUpDraftMenu();
