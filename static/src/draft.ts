// The Draft panel beside the text: proposals as they are written and taken, and the commands that ask for one.
import { setUpDraftMenu } from "./drafting/commands";
import "./drafting/proposal";
import "./drafting/support";

setUpDraftMenu();
