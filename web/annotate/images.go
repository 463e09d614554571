package annotate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// mostImage is the size of an image, at most, in bytes.
const mostImage = 5 << 20

// imageTypes lists the types of images that are shown. A drawing in SVG may contain scripts, so it is not among them.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// localPath returns the path in the folder of the study that the destination of an image names; "": it names none.
func localPath(destination string) string {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || u.RawQuery != "" {
		return ""
	}
	name := path.Clean(u.Path)
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) {
		return ""
	}
	return name
}

// Images returns the paths in the folder of the study of the images that its texts show, each once.
func Images(texts project.Texts, items []project.Item) (paths []string) {
	add := func(list ...string) {
		for _, text := range list {
			for _, destination := range shell.Images(text) {
				paths = append(paths, localPath(destination))
			}
		}
	}
	add(texts.Guidelines, texts.Consent)
	for _, it := range items {
		add(it.Content.A, it.Content.B)
		for _, a := range it.Content.Attachments {
			add(a.Text, a.Swapped)
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(name string) bool { return name == "" })
}

// MissingImages says of each image that the texts of a study show and its folder does not have why people do not see it.
func MissingImages(dir string, texts project.Texts, items []project.Item) (faults []string) {
	for _, name := range Images(texts, items) {
		if _, _, err := readImage(dir, name); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// readImage reads an image of the folder of a study, and says of which type it is. A path cannot leave the folder, also not by a
// symbolic link (os.Root). The error says why people do not see the image.
func readImage(dir, name string) (content []byte, kind string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("%s is not in %s", name, dir)
	case err != nil:
		return nil, "", fmt.Errorf("%s leads out of %s: %w", name, dir, err)
	case !info.Mode().IsRegular():
		return nil, "", fmt.Errorf("%s is no file", name)
	case info.Size() > mostImage:
		return nil, "", fmt.Errorf("%s has %d bytes; an image may have %d", name, info.Size(), mostImage)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	content, err = io.ReadAll(io.LimitReader(f, mostImage))
	if err != nil {
		return nil, "", err
	}
	if kind = http.DetectContentType(content); !slices.Contains(imageTypes, kind) {
		return nil, "", fmt.Errorf("%s is none of %s", name, strings.Join(imageTypes, ", "))
	}
	return content, kind, nil
}

// imageAddress returns where a page finds an image. A browser gets no path, which may name a system, but a code; only images that the
// study's texts show have one. "": the image is on another site or cannot be shown, and the page has its description and address.
func (s *Server) imageAddress(destination string) string {
	name := localPath(destination)
	code := s.Project.Keyed("image/" + name)
	if s.images[code] == "" {
		return ""
	}
	if _, _, err := readImage(s.Folder, name); err != nil {
		return ""
	}
	return "/image/" + code
}

// image serves an image. Its code cannot be guessed, so that it needs no session.
func (s *Server) image(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	name := s.images[r.PathValue("code")]
	if name == "" {
		return project.ErrUnknown
	}
	content, kind, err := readImage(s.Folder, name)
	if err != nil {
		s.Log.Printf("annotate: image: %v", err)
		return project.ErrUnknown
	}
	w.Header().Set("Content-Type", kind)
	w.Write(content)
	return nil
}
