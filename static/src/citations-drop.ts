// The page of references (templates/citations/citations.html): what is dropped or pasted anywhere on it.
import { acceptAnywhere } from "./citations-drop/accept";

acceptAnywhere();
